"""What who signs a release is told by who made it. It stands in the report alone and changes nothing else."""

from __future__ import annotations

from dataclasses import dataclass

from ontomask.options import option
from ontomask.plan.parts import Part


@dataclass(frozen=True, init=False, repr=False)
class SignOff(Part):
    """Why the table is handed on, to whom, and why its warnings were accepted.

    >>> SignOff(purpose="length of stay by diagnosis", recipient="University of Reus").lines()
    {'Purpose': 'length of stay by diagnosis', 'Recipient': 'University of Reus', 'Conditions of use': '',
    'Made by': ''}
    """

    purpose: str | None = option(None, "what the release is for", otherwise="a line to be filled in")
    recipient: str | None = option(None, "who gets it", otherwise="a line to be filled in")
    conditions: str | None = option(
        None, "what the recipient agreed to, such as a contract", otherwise="a line to be filled in"
    )
    made_by: str | None = option(None, "who made the release", otherwise="a line to be filled in")
    reasons: dict[str, str] | None = option(
        None,
        "why a warning was accepted, by its name in `accept`",
        values="reason of each, such as `{'one value: illness': all had it}`",
        otherwise="none; the report says that none was given",
    )

    def lines(self) -> dict[str, str]:
        """What the report prints; a line without a text is filled in by hand."""
        return {
            "Purpose": self.purpose or "",
            "Recipient": self.recipient or "",
            "Conditions of use": self.conditions or "",
            "Made by": self.made_by or "",
        }
