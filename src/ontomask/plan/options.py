"""Columns as the command line names them: `occupation:wordnet`, `age:numeric`, `level:ordinal=low<mid<high`.

Turns them into the `attributes` of a plan, as nested dicts with nothing checked but the form.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from ontomask.plan.marked_yaml import Fault, Written
from ontomask.plan.messages import did_you_mean

Settings = dict[str, Any]

_KINDS = ("nominal", "numeric", "ordinal")


def attributes_of_options(
    qi: Iterable[str],
    identifiers: Iterable[str],
    confidential: Iterable[str],
    per_column: Mapping[str, Iterable[str]],
    known: Mapping[str, Settings] | None = None,
) -> tuple[dict[str, Settings], list[Fault]]:
    """Settings by column, and what is wrong; `per_column` holds COLUMN:VALUE entries by their key.

    Columns that are `known` from a plan keep their settings unless they are named anew.
    """
    columns: dict[str, Settings] = {}
    faults: list[Fault] = []
    named: list[tuple[str, Settings]] = [
        *((name, {"role": "identifier"}) for name in identifiers),
        *((name, {"role": "quasi-identifier"} | settings) for name, settings in map(_quasi_identifier, qi)),
        *((name, {"role": "confidential"}) for name in confidential),
    ]
    for name, settings in named:
        if name in columns:
            roles = " and ".join(dict.fromkeys((columns[name]["role"], settings["role"])))
            faults.append(Fault(0, ("attributes", name), f"given twice, as {roles}"))
        columns.setdefault(name, settings)
    columns = {name: dict(settings) for name, settings in (known or {}).items()} | columns
    for key, entries in per_column.items():
        for entry in entries:
            name, value = split_column(entry)
            if not value:
                faults.append(Fault(0, (), f"{key} {entry!r}: must be COLUMN:VALUE"))
            elif name not in columns:
                text = f"{key} {entry!r}: the column {name!r} was given no role"
                faults.append(Fault(0, (), text + did_you_mean(name, columns)))
            else:
                columns[name][key] = Written(value)
    return columns, faults


def split_column(text: str) -> tuple[str, str]:
    """Cut at the last colon, save that of a drive letter or inside the values of an order.

    >>> split_column("dc:subject:mesh.xml")
    ('dc:subject', 'mesh.xml')
    """
    found = re.search(r":(ordinal=.*|[A-Za-z]:[\\/][^:]*|[^:]*)$", text, re.DOTALL)
    return (text[: found.start()], found[1]) if found else (text, "")


def _quasi_identifier(text: str) -> tuple[str, Settings]:
    name, what = split_column(text)
    if what.startswith("ordinal="):
        order = [value.strip() for value in what.removeprefix("ordinal=").split("<")]
        return name, {"kind": "ordinal", "order": order}
    return name, {"kind": what} if what in _KINDS else {"ontology": what or None}
