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
from ontomask.ontology.draft import place
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
        raise LinkingError(str(error)) from None
    if not rows:
        raise LinkingError(f"{place(path)}no mapping in it; is this the right file?")
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
                f"{place(path, 1)}no columns 'from' and 'to'; a cross-map starts with from,to "
                "or is an RF2 map with its header"
            )
        for fields in reader:
            if not any(fields):
                continue
            here = place(path, reader.line_num)
            if len(fields) != len(header):
                raise LinkingError(f"{here}{len(fields)} columns where the header has {len(header)}")
            source, target = fields[header.index("from")].strip(), fields[header.index("to")].strip()
            if not source or not target:
                raise LinkingError(f"{here}an empty code; a row needs both 'from' and 'to'")
            yield (0, 0), source, target
    except csv.Error as error:
        raise LinkingError(f"{place(path, reader.line_num)}damaged CSV ({error})") from None


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
                f"{place(path, number)}the member {member} is there twice; is this a Full file? "
                "Use the Snapshot"
            )
        members.add(member)
        refsets.add(map_id)
        if refset is None and len(refsets) > 1:
            raise LinkingError(
                f"{place(path, number)}several maps in one file ({', '.join(sorted(refsets))}); "
                "choose one by its refsetId"
            )
        if not target or refset not in (None, map_id):  # no target: the concept cannot be mapped
            continue
        if not all(part.isdecimal() for part in order):
            raise LinkingError(f"{place(path, number)}mapGroup and mapPriority are numbers, not {order}")
        group, priority = map(int, order) if ordered else (0, 0)
        yield (group, priority), concept, target
    if refset is not None and refset not in refsets:
        raise LinkingError(f"{place(path)}no map {refset}; it has {', '.join(sorted(refsets)) or 'none'}")
