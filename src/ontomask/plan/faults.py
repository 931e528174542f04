"""What is wrong with a plan, gathered as it is read: key, line, words and what to do about it."""

from __future__ import annotations

from collections.abc import Iterable

from ontomask.errors import Fault, PlanError, did_you_mean

KeyPath = tuple[str | int, ...]
_MOST_HINTS = 100
_MOST_TOLD = 200


class Faults:
    """Everything that is wrong with one plan; `lines` says where its keys stand in the file."""

    def __init__(self, file: str = "", lines: dict[KeyPath, int] | None = None) -> None:
        self.file: str = file
        self.lines: dict[KeyPath, int] = lines or {}
        self._found: list[Fault] = []

    def add(
        self,
        path: KeyPath,
        text: str,
        remedy: str = "",
        value: object = None,
        *,
        line: int = 0,
        column: str = "",
    ) -> None:
        """Note a fault at a key; its line is that of the key or, if it is not in the file, of its parent."""
        shown = None if value is None else str(value)
        self._found.append(
            Fault(
                text,
                file=self.file,
                line=line or self._near_line(path),
                column=column,
                value=shown,
                key=dotted(path),
                remedy=remedy,
            )
        )

    def because(self, path: KeyPath, reason: str, value: object = None) -> None:
        """Note a fault from words that may end in what to do: `has 'a' twice; keep one`."""
        text, _, remedy = reason.partition("; ")
        self.add(path, text, remedy, value)

    def unknown(self, path: KeyPath, known: Iterable[str], value: object = None) -> None:
        """Note a key that does not exist: what was perhaps meant, or which there are."""
        known = list(known)
        # Nobody reads the hundredth hint, and a search takes a thousand times as long as reading a line.
        remedy = did_you_mean(path[-1], known).removeprefix("; ") if len(self) < _MOST_HINTS else ""
        remedy = remedy or f"known are {', '.join(known)}"
        self.add(path, "unknown key", remedy, value)

    def __len__(self) -> int:
        return len(self._found)

    def raise_any(self) -> None:
        """One `PlanError` for all faults, in the order of their lines."""
        if self._found:
            told = sorted(self._found, key=lambda fault: fault.line)[:_MOST_TOLD]
            if len(told) < len(self._found):
                told.append(Fault(f"and {len(self._found) - len(told):,} more", file=self.file))
            raise PlanError(*told)

    def _near_line(self, path: KeyPath) -> int:
        return next((self.lines[path[:n]] for n in range(len(path), -1, -1) if path[:n] in self.lines), 0)


def dotted(path: KeyPath) -> str:
    """`table.na_values[2]` for ("table", "na_values", 2)."""
    text = "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in path)
    return text.removeprefix(".")


def any_of(names: Iterable[str]) -> str:
    """`a, b or c`."""
    *most, last = names
    return f"{', '.join(most)} or {last}" if most else last
