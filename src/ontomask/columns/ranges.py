"""How a range is written, and read again: one text with a place for each of its ends.

It knows nothing of what the ends are, numbers or ordered categories.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class RangeFormat:
    """A text with `{from}` and then `{to}`.

    >>> RangeFormat("from {from} to {to}").text("40", "49")
    'from 40 to 49'
    """

    form: str

    @property
    def _parts(self) -> tuple[str, str, str]:
        before, _, rest = self.form.partition("{from}")
        between, _, after = rest.partition("{to}")
        return before, between, after

    def text(self, low: str, high: str) -> str:
        """The range from one end to the other."""
        before, between, after = self._parts
        return f"{before}{low}{between}{high}{after}"

    def ends(self, text: str, number_of: Callable[[str], float | None]) -> tuple[float, float] | None:
        """The ends of a written range; None if it is none. `number_of` reads one end, if it is one.

        What stands between the ends may occur in them: the first place counts where both can be read.

        >>> RangeFormat("{from}-{to}").ends("-5--1", lambda end: {"-5": -5.0, "-1": -1.0}.get(end))
        (-5.0, -1.0)
        """
        before, between, after = self._parts
        if not (text.startswith(before) and text.endswith(after)):
            return None
        core = text[len(before) : len(text) - len(after)]
        at = core.find(between)
        while at >= 0:
            low, high = number_of(core[:at]), number_of(core[at + len(between) :])
            if low is not None and high is not None:
                return low, high
            at = core.find(between, at + 1)
        return None
