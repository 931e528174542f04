"""Tables that were sent stand in a private folder: it is gone when the page ends.

Where its process was killed, nobody could remove it; the next page of the same account does. A folder is
locked as long as its page lives, so that no other takes it for one that was left.
"""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path
from shutil import rmtree
from tempfile import gettempdir, mkdtemp

_PREFIX = "ontomask-web-"


class Copies:
    """A private folder for what is sent."""

    def __init__(self) -> None:
        self.folder = Path(mkdtemp(prefix=_PREFIX)).resolve()
        self._lock = _locked(self.folder)

    def place_for(self, name: str) -> Path:
        """A folder of its own for each file, as another one may have had that name."""
        return Path(mkdtemp(dir=self.folder)) / name

    def remove(self) -> None:
        """All of it."""
        rmtree(self.folder, ignore_errors=True)
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None


def remove_left() -> None:
    """Remove what pages of this account left that were killed, where the system has locks."""
    if not hasattr(os, "getuid"):
        return
    for folder in Path(gettempdir()).glob(f"{_PREFIX}*"):
        with suppress(OSError):  # another page removes it, too, or it is somebody else's
            if folder.lstat().st_uid != os.getuid() or folder.is_symlink():
                continue
            if (lock := _locked(folder)) is not None:
                rmtree(folder, ignore_errors=True)
                os.close(lock)


def _locked(folder: Path) -> int | None:
    """The folder, opened and locked until it is closed; None if somebody has locked it, or nobody can."""
    try:
        import fcntl
    except ImportError:
        return None
    opened = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(opened, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(opened)
        return None
    return opened
