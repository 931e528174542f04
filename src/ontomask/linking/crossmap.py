"""Cross-maps between code systems, so that a column of ICD codes can be read in SNOMED CT.

A map is a CSV file with the columns `from,to`, or an RF2 map reference set (simple, complex or extended map),
which goes from SNOMED CT to the other system. It knows codes alone; which ontology has them is not its
business.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator
from pathlib import Path

from ontomask.errors import LinkingError, OntologyError
from ontomask.ontology.draft import at
from ontomask.ontology.formats.reading import numbered_lines
from ontomask.ontology.formats.rf2 import active_rows

# Map group and priority, of which the lower comes first; then the two codes.
_Row = tuple[tuple[int, int], str, str]


def read_crossmap(path: Path, *, inverted: bool = False, refset: str | None = None) -> dict[str, list[str]]:
    """Codes that each code maps to, best first: by map group and priority, else as the file has them.

    Parameters
    ----------
    path
        CSV with a header `from,to`, or an RF2 Snapshot file such as ``der2_iisssccRefset_ExtendedMap...txt``.
    inverted
        Read it from `to` to `from`: an RF2 map as ICD -> SNOMED CT.
    refset
        Which map is meant, if an RF2 file holds several (its refsetId).
    """
    try:
        is_rf2 = "referencedComponentId" in next(numbered_lines(path))[1]
        rows = list(_rf2_rows(path, refset) if is_rf2 else _csv_rows(path))
    except OntologyError as error:
        raise LinkingError(*error.faults) from None
    if not rows:
        raise LinkingError("no mapping in it; is this the right file?", **at(path))
    found: dict[str, list[tuple[tuple[int, int], str]]] = {}
    for order, source, target in rows:
        if inverted:
            source, target = target, source
        found.setdefault(source, []).append((order, target))
    return {
        source: list(dict.fromkeys(target for _, target in sorted(targets, key=lambda pair: pair[0])))
        for source, targets in found.items()
    }


def _csv_rows(path: Path) -> Iterator[_Row]:
    reader = csv.reader((line for _, line in numbered_lines(path)), strict=True)
    try:
        header = [name.strip().casefold() for name in next(reader)]
        if "from" not in header or "to" not in header:
            raise LinkingError(
                "no columns 'from' and 'to'",
                **at(path, 1),
                remedy="a cross-map starts with from,to or is an RF2 map with its header",
            )
        for fields in reader:
            if not any(fields):
                continue
            here = at(path, reader.line_num)
            if len(fields) != len(header):
                raise LinkingError(f"{len(fields)} columns where the header has {len(header)}", **here)
            source, target = fields[header.index("from")].strip(), fields[header.index("to")].strip()
            if not source or not target:
                raise LinkingError("an empty code", **here, remedy="a row needs both 'from' and 'to'")
            yield (0, 0), source, target
    except csv.Error as error:
        raise LinkingError(f"damaged CSV ({error})", **at(path, reader.line_num)) from None


def _rf2_rows(path: Path, refset: str | None) -> Iterator[_Row]:
    first_line = next(numbered_lines(path))[1]
    ordered = "mapGroup" in first_line and "mapPriority" in first_line
    columns = ["id", "refsetId", "referencedComponentId", "mapTarget"]
    members: set[str] = set()
    refsets: set[str] = set()
    for number, fields in active_rows(path, *columns, *(["mapGroup", "mapPriority"] if ordered else [])):
        member, map_id, concept, target, *order = fields
        if member in members:
            raise LinkingError(
                f"the member {member} is there twice",
                **at(path, number),
                remedy="is this a Full file? Use the Snapshot",
            )
        members.add(member)
        refsets.add(map_id)
        if refset is None and len(refsets) > 1:
            raise LinkingError(
                f"several maps in one file ({', '.join(sorted(refsets))})",
                **at(path, number),
                remedy="choose one by its refsetId",
            )
        if not target or refset not in (None, map_id):  # no target: the concept cannot be mapped
            continue
        if not all(part.isdecimal() and len(part) < 10 for part in order):
            raise LinkingError(f"mapGroup and mapPriority are numbers, not {order}", **at(path, number))
        group, priority = map(int, order) if ordered else (0, 0)
        yield (group, priority), concept, target
    if refset is not None and refset not in refsets:
        raise LinkingError(
            f"no map {refset}", **at(path), remedy=f"it has {', '.join(sorted(refsets)) or 'none'}"
        )
