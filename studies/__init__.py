"""Evidence beside the product: published figures made again, rivals, and pages of measurements. Not installed."""
