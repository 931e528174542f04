"""Writing files and folders so that nothing half-written is ever left behind."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from secrets import token_hex

from ontomask.errors import OntomaskError


@contextmanager
def replacing(path: str | Path) -> Iterator[Path]:
    """A temporary path beside `path`, moved into place if the block succeeds, removed if it does not.

    Readers see the old file or the whole new one. The block may write a folder there instead, if it removes
    the empty file first; it takes the place of nothing or of an empty folder. An `OSError` (no folder, no
    right, no space) becomes an `OntomaskError` that names the path.
    """
    target = Path(path)
    temporary = target.with_name(f".{target.name}.{token_hex(4)}{target.suffix}")
    try:
        # The system takes the umask from these rights, whatever other threads do meanwhile.
        os.close(os.open(temporary, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o666))
    except OSError as error:
        raise OntomaskError(f"cannot write {target}: {error.strerror or error}") from None
    try:
        yield temporary
        temporary.replace(target)
    except OSError as error:
        raise OntomaskError(f"cannot write {target}: {error.strerror or error}") from error
    finally:
        remove(temporary)


def remove(path: Path) -> None:
    """Remove a file or a folder with all that is in it, if it is there."""
    if path.is_dir():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)
