"""What is shown of machines, schedules, simulations and runs: drawings, charts, traces and pages."""
