"""A plan as the command line says it: `--qi occupation:wordnet`, `--set method.static=true`.

Turns it into nested dicts with the keys of a plan; nothing is checked but the form.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any, get_args

from ontomask.errors import did_you_mean
from ontomask.options import options_of
from ontomask.plan.attribute import AttributePlan, Kind
from ontomask.plan.faults import Faults, KeyPath
from ontomask.plan.marked_yaml import Written, read_marked
from ontomask.plan.parts import Part

Settings = dict[str, Any]

_SECTIONS = {
    key
    for key, one in options_of(AttributePlan).items()
    if isinstance(one.kind, type) and issubclass(one.kind, Part)
}


def name_columns(
    tree: Settings,
    qi: Iterable[str],
    identifiers: Iterable[str],
    confidential: Iterable[str],
    per_column: Mapping[str, Iterable[str]],
    faults: Faults,
) -> None:
    """Give columns their roles in the tree; `per_column` holds COLUMN:VALUE entries by their key."""
    columns: dict[str, Settings] = {}
    named: list[tuple[str, Settings]] = [
        *((name, {"role": "identifier"}) for name in identifiers),
        *((name, {"role": "quasi-identifier"} | settings) for name, settings in map(_quasi_identifier, qi)),
        *((name, {"role": "confidential"}) for name in confidential),
    ]
    for name, settings in named:
        if name in columns:
            roles = " and ".join(dict.fromkeys((columns[name]["role"], settings["role"])))
            faults.add(("attributes", name), f"given twice, as {roles}")
        columns.setdefault(name, settings)
    tree["attributes"] = columns = tree.get("attributes", {}) | columns
    candidates: dict[str, list[str]] = {}
    for key, entries in per_column.items():
        for entry in entries:
            name, value = split_column(entry)
            if not value:
                faults.add((), f"{key} {entry!r}: must be COLUMN:VALUE", value=entry)
            elif name not in columns:
                remedy = did_you_mean(name, columns).removeprefix("; ")
                faults.add((), f"{key} {entry!r}: the column {name!r} was given no role", remedy, entry)
            elif key == "hierarchy":  # several are candidates; they replace what the plan has
                columns[name][key] = candidates.setdefault(name, [])
                candidates[name].append(Written(value))
            else:
                columns[name][key] = Written(value)


def split_column(text: str) -> tuple[str, str]:
    """Cut at the last colon, save that of a drive letter or inside the values of an order.

    >>> split_column("dc:subject:mesh.xml")
    ('dc:subject', 'mesh.xml')
    """
    found = re.search(r":(ordinal=.*|[A-Za-z]:[\\/][^:]*|[^:]*)$", text, re.DOTALL)
    return (text[: found.start()], found[1]) if found else (text, "")


def set_key(tree: Settings, text: str, faults: Faults) -> None:
    """Set what KEY=VALUE says, such as `method.static=true` or `attributes.age.weight=2`.

    A value is read as YAML reads it after a key; an empty one takes the key back.

    >>> tree = {"privacy": {"k": 5}}
    >>> set_key(tree, "privacy.k=3", Faults())
    >>> set_key(tree, "table.na_values=[NA, none]", Faults())
    >>> tree
    {'privacy': {'k': '3'}, 'table': {'na_values': ['NA', 'none']}}
    >>> set_key(tree, "attributes.job.title.hierarchy.levels=4", Faults())
    >>> tree["attributes"]
    {'job.title': {'hierarchy': {'levels': '4'}}}
    """
    dotted, equals, written = (part.strip() for part in text.partition("="))
    if not equals or not dotted:
        faults.add((), f"{text!r}: must be KEY=VALUE", "such as method.static=true", text)
        return
    path = _path_of(dotted, tree, is_column=written.startswith("{"))
    section = tree
    for step in path[:-1]:
        if not isinstance(section.get(step), dict):
            section[step] = {}
        section = section[step]
    section[path[-1]] = _value_of(written, path, faults)


def merged(tree: Mapping[str, Any], changes: Mapping[str, Any]) -> Settings:
    """The tree with changes; a mapping takes the keys given and keeps its others, None removes a key.

    >>> merged({"a": {"b": 1, "c": 2}}, {"a": {"b": None, "d": 3}})
    {'a': {'c': 2, 'd': 3}}
    """
    both = dict(tree)
    for key, value in changes.items():
        if value is None:
            both.pop(key, None)
        elif isinstance(value, Mapping):
            before = both.get(key)
            both[key] = merged(before if isinstance(before, Mapping) else {}, value)
        else:
            both[key] = value
    return both


def _path_of(dotted: str, tree: Settings, is_column: bool) -> tuple[str, ...]:
    """The steps of a dotted key; the name of a column may have dots of its own."""
    first, _, rest = dotted.partition(".")
    if first != "attributes" or not rest:
        return tuple(dotted.split("."))
    column, dot, key = rest.rpartition(".")
    if not dot or rest in tree.get("attributes", ()):
        return first, rest
    column, _, section = column.rpartition(".")
    if column and section in _SECTIONS:
        return first, column, section, key
    column = rest.removesuffix(f".{key}")
    return (first, rest) if is_column and key not in _SECTIONS else (first, column, key)


def _value_of(written: str, path: KeyPath, faults: Faults) -> Any:
    if written[:1] not in ("[", "{", '"', "'"):
        return None if written in ("", "~", "null") else Written(written)
    unread = Faults()
    value = read_marked(written, unread)
    if unread:
        faults.add(path, f"{written!r} is not YAML", "is a bracket or a quote missing?", written)
    return value


def _quasi_identifier(text: str) -> tuple[str, Settings]:
    name, what = split_column(text)
    if what.startswith("ordinal="):
        order = [value.strip() for value in what.removeprefix("ordinal=").split("<")]
        return name, {"kind": "ordinal", "order": order}
    return name, {"kind": what} if what in get_args(Kind) else {"ontology": what or None}
