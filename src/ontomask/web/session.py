"""One person and one table: which one, and the copy of it if it was sent."""

from __future__ import annotations

from pathlib import Path

from ontomask.errors import OntomaskError
from ontomask.tables.register import known_suffix
from ontomask.web.copies import Copies
from ontomask.web.work import Work, check_name

_MOST_LISTED = 500


class Session:
    """What is worked on in a folder: the table and the plan beside it, once a table is chosen."""

    def __init__(self, folder: Path, table: Path | None = None, plan: Path | None = None) -> None:
        self.folder = folder.resolve()
        self.work: Work | None = None
        self.is_ending = False
        self._copies: Copies | None = None
        if table is not None:
            self.choose(table, plan)

    def choose(self, table: Path, plan: Path | None = None) -> None:
        """Work on this table from now on."""
        self.work = Work(table, plan or table.with_name(f"{table.stem}.plan.yaml"))

    def tables(self) -> dict[str, Path]:
        """Files of the folder that can be read as tables, by name."""
        found = sorted(path for path in self.folder.iterdir() if path.is_file() and _is_table(path))
        return {path.name: path for path in found[:_MOST_LISTED]}

    def place_for(self, name: str) -> Path:
        """Where a table that is sent is put: a private folder, which is gone when the session ends."""
        check_name(name)
        known_suffix(Path(name), "read")
        try:
            self._copies = self._copies or Copies()
            return self._copies.place_for(name)
        except OSError as error:
            raise OntomaskError(f"it could not be kept: {error.strerror}", value=name) from None

    @property
    def is_on_a_copy(self) -> bool:
        """Whether the table was sent, so that it and all beside it is gone when the session ends."""
        return (
            self.work is not None
            and self._copies is not None
            and self.work.table.is_relative_to(self._copies.folder)
        )

    def beside_the_copy(self) -> dict[str, Path]:
        """The plan and what it names beside a table that was sent, by name: nobody else has them."""
        if self.work is None or not self.is_on_a_copy:
            return {}
        every = (path for path in sorted(self.work.folder.iterdir()) if path != self.work.table)
        return {path.name: path for path in every if path.is_file() and not path.name.startswith(".")}

    def end(self) -> None:
        """End what still runs, and remove what was sent."""
        if self.work is not None:
            self.work.end()
        if self._copies is not None:
            self._copies.remove()


def _is_table(path: Path) -> bool:
    try:
        known_suffix(path, "read")
    except OntomaskError:
        return False
    return not path.name.startswith(".")
