"""One reader under libFuzzer, by way of atheris: new inputs are kept where they reach new branches.

Loops run as plain Python (NUMBA_DISABLE_JIT), so that their branches count too and an index out of range is
an error, not a crash. Started by `__main__`; a finding is written down and the search goes on.
"""

from __future__ import annotations

import hashlib
import logging
import sys
import traceback
import warnings
from pathlib import Path


def main(name: str, found: Path, *arguments: str) -> None:
    """Fuzz one reader; findings go to the folder `found`."""
    import atheris

    with atheris.instrument_imports(include=["ontomask", "yaml", "zipfile", "xml", "json"]):
        from hostile.fuzz.readers import READERS
        from ontomask.errors import OntomaskError

        reader = READERS[name]
        for seed in reader.seeds():
            reader(seed)  # what it imports on its first use is to be watched too
    known: set[str] = set()
    warnings.simplefilter("ignore")
    logging.disable()

    def one_input(content: bytes) -> None:
        try:
            reader(content)
        except OntomaskError:
            return
        except Exception as error:
            last = traceback.extract_tb(error.__traceback__)[-1]
            key = f"{type(error).__name__}-{Path(last.filename).stem}-{last.lineno}"
            if key not in known:
                known.add(key)
                found.mkdir(parents=True, exist_ok=True)
                digest = hashlib.sha256(content).hexdigest()[:8]
                (found / f"{key}-{digest}").write_bytes(content)
                (found / f"{key}-{digest}.txt").write_text(traceback.format_exc())

    atheris.Setup([sys.argv[0], *arguments], one_input)
    atheris.Fuzz()


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]), *sys.argv[3:])
