"""A fact about a machine or a network, its source, and how certain it is."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["Evidence"]


@dataclass(frozen=True)
class Evidence:
    """A fact. sure: 'stated' by a file or system, 'seen' on this computer, 'measured', or 'assumed'."""

    what: str
    value: str
    source: str
    sure: str

    def to_dict(self) -> dict[str, str]:
        """As a dict."""
        return {"what": self.what, "value": self.value, "source": self.source, "sure": self.sure}
