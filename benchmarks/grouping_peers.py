"""Groups that other programs form of the same rows: anonypy, anonypyx and anjana.

Each lives in an environment of its own (see `peers`), is given the rows and the hierarchies, and says which
rows it put together and which it left out. What a group is given is decided by us, for all alike: the
narrowest that covers it. So a program is judged by its groups alone, and never for less than it wrote. This
file runs on both sides; inside a peer's environment nothing of ours is installed.
"""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ontomask.methods import Masking
    from ontomask.pipeline import Prepared

GROUPING_PEERS = ("anonypy", "anonypyx", "anjana")
SUPPRESSED = 5  # per cent of the rows that anjana may leave out


# ------------------------------------------------------------------ our side


def grouped_by(
    peer: str, prepared: Prepared, k: int, hierarchies: dict[str, Path]
) -> tuple[Masking, float, float]:
    """A masking with the groups of a peer, and its seconds by the clock and of the processor.

    Columns without a file are numbers.
    """
    import numpy as np

    from ontomask.attributes import replacements_of, space_of
    from ontomask.attributes._kernels import group_centroids
    from ontomask.methods import Masking
    from peers import PeerError, _installed, _last_line, cache_folder

    python = _installed(peer, cache_folder() / peer, "pandas")
    counted = prepared.table.tuples(prepared.counted)
    row_of = np.repeat(np.arange(len(counted.counts)), counted.counts)
    columns = {
        name: [counted.values[j][code] for code in counted.codes[row_of, j]]
        for j, name in enumerate(prepared.counted)
    }
    levels = {
        name: [line.split(";") for line in file.read_text().splitlines()]
        for name, file in hierarchies.items()
    }
    order = json.dumps({"columns": columns, "hierarchies": levels, "k": k})
    result = subprocess.run(
        [python, __file__, peer], input=order, capture_output=True, text=True, check=False
    )
    if result.returncode:
        raise PeerError(f"it stopped: {_last_line(result.stderr)}")
    found = json.loads(result.stdout.splitlines()[-1])

    pairs = np.stack([prepared.cell_of_raw[row_of], np.array(found["groups"])], axis=1)
    entries, counts = np.unique(pairs, axis=0, return_counts=True)
    cells, groups = entries.T.astype(np.int32)
    kept = groups >= 0
    space = space_of(prepared.tuples, prepared.attributes, with_covers=True)
    n_groups = int(groups.max()) + 1
    points = group_centroids(space, cells[kept], groups[kept], counts[kept], n_groups)
    extended, values = replacements_of(prepared.attributes, space, points)
    return Masking(cells, groups, counts, values, tuple(extended)), *found["seconds"]


# ------------------------------------------------------------------ the peer's side: nothing of ours


def numbered(parts: Any, n: int) -> list[int]:
    """The number of the part that each row is in, or -1."""
    found = [-1] * n
    for number, rows in enumerate(parts):
        for row in rows:
            found[int(row)] = number
    return found


def frame_of(asked: dict[str, Any]) -> Any:
    """Words as categories, numbers as numbers."""
    import pandas

    frame = pandas.DataFrame(asked["columns"])
    return frame.astype({name: "category" if name in asked["hierarchies"] else "int64" for name in frame})


def by_anonypy(asked: dict[str, Any]) -> Callable[[], list[int]]:
    """Mondrian."""
    from anonypy.mondrian import Mondrian

    frame = frame_of(asked)
    return lambda: numbered(Mondrian(frame, list(frame.columns)).partition(asked["k"]), len(frame))


def by_anonypyx(asked: dict[str, Any]) -> Callable[[], list[int]]:
    """Mondrian; its MDAV needs a table of all pairs of rows, 17.5 GB."""
    from anonypyx.models import kAnonymity
    from anonypyx.mondrian import Mondrian

    frame = frame_of(asked)
    models = [kAnonymity(asked["k"])]
    return lambda: numbered(Mondrian(frame, list(frame.columns)).partition(models), len(frame))


def by_anjana(asked: dict[str, Any]) -> Callable[[], list[int]]:
    """Columns generalised as a whole, level by level; classes are rows that then look alike."""
    import pandas
    from anjana.anonymity import k_anonymity

    names = list(asked["columns"])
    frame = pandas.DataFrame(asked["columns"]).assign(row=range(len(asked["columns"][names[0]])))
    hierarchies = {
        name: {level: pandas.Series(column) for level, column in enumerate(zip(*lines, strict=True))}
        for name, lines in asked["hierarchies"].items()
    }

    def groups() -> list[int]:
        found = k_anonymity(frame, [], names, asked["k"], SUPPRESSED, hierarchies)
        return numbered((rows for _, rows in found.groupby(names)["row"]), len(frame))

    return groups


BY: dict[str, Callable[[dict[str, Any]], Callable[[], list[int]]]] = {
    "anonypy": by_anonypy,
    "anonypyx": by_anonypyx,
    "anjana": by_anjana,
}

if __name__ == "__main__":
    grouping = BY[sys.argv[1]](json.load(sys.stdin))
    began = time.perf_counter(), time.process_time()
    groups = grouping()
    seconds = time.perf_counter() - began[0], time.process_time() - began[1]
    print(json.dumps({"groups": groups, "seconds": seconds}))
