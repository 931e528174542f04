"""The release of a table that was masked in blocks: its tuples are not here, nor what needs them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NoReturn

from ontomask.errors import OntomaskError
from ontomask.release import Release

if TYPE_CHECKING:
    from ontomask.tables import Table


class ReleaseInBlocks(Release):
    """A release whose tuples stayed where they were masked.

    It has its figures, notes and records, and is written and checked as any other; the requirements of what
    was written are counted where that lies.
    """

    def __init__(self, **parts: Any) -> None:
        for name, part in ({"people": None, "reused": None, "trace": None} | parts).items():
            self.__dict__[name] = part

    def check(self, written: Table) -> None:
        self.__dict__["blocks"].check(written)

    @property
    def tuples(self) -> NoReturn:
        """They are not here."""
        raise _not_here()

    @property
    def masking(self) -> NoReturn:
        """It is not here."""
        raise _not_here()

    @property
    def view(self) -> NoReturn:
        """It is not here."""
        raise _not_here()

    @property
    def scheme(self) -> NoReturn:
        """It would be as long as the release."""
        raise _not_here()


def _not_here() -> OntomaskError:
    return OntomaskError(
        "a table that is masked in blocks has no report and no scheme: its tuples are elsewhere",
        key="method.blocks",
        remedy="leave these out, or remove blocks",
    )
