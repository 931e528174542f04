"""The text of a plan with one key changed: everything else in it stays, comments and all.

PyYAML tells where each value stands, so only that piece of the text is replaced. What comes out is read
again: a change that would do anything else (an alias, say, that stands in two places) is refused.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import yaml

from ontomask.errors import PlanError
from ontomask.plan.faults import Faults, dotted
from ontomask.plan.flow import flow, scalar
from ontomask.plan.marked_yaml import read_marked


def with_key(text: str, path: Sequence[str], value: Any) -> str:
    """The text of a plan in which a key has another value; None removes the key.

    >>> print(with_key("attributes:\\n  age: {role: undecided}   # proposed: masked\\n",
    ...     ["attributes", "age", "role"], "quasi-identifier"))
    attributes:
      age: {role: quasi-identifier}   # proposed: masked
    >>> print(with_key("privacy: {k: 5}  # people\\nseed: 7\\n", ["privacy", "l"], {"pay": 3}))
    privacy: {k: 5, l: {pay: 3}}  # people
    seed: 7
    >>> print(with_key("privacy: {k: 5}\\nseed: 7\\n", ["seed"], None))
    privacy: {k: 5}
    """
    before = _read(text)
    node = yaml.compose(text, yaml.SafeLoader)
    if not isinstance(node, yaml.MappingNode):
        changed = f"{text.rstrip()}\n{_entry(path, value)}\n".lstrip()
    else:
        changed = _changed(text, node, path, value)
    if _read(changed) != _expected(before, path, value):
        raise PlanError(
            "cannot be changed here without changing more",
            key=dotted(tuple(path)),
            remedy="edit the plan itself",
        )
    return changed


def said_in(text: str, path: Sequence[str]) -> Any:
    """What the text of a plan says at a key, whether the plan has a use for it or not; None if nothing.

    >>> said_in("attributes: {age: {role: other, kind: numeric}}", ["attributes", "age", "kind"])
    'numeric'
    """
    found = _read(text)
    for key in path:
        found = found.get(key) if isinstance(found, Mapping) else None
    return found


def with_changes(text: str, before: Mapping[str, Any], after: Mapping[str, Any]) -> str:
    """The text of a plan with these settings, of one with those: only keys that differ are touched.

    >>> text = "privacy: {k: 5}  # people\\nmethod: {name: sa-mdav, static: true}\\n"
    >>> now = {"privacy": {"k": 5}, "method": {"name": "sa-mdav", "static": True}}
    >>> print(with_changes(text, now, {"privacy": {"k": 3}, "method": {"name": "recoding"}}))
    privacy: {k: 3}  # people
    method: {name: recoding}
    """
    for path, value in _differing(before, after):
        text = with_key(text, path, value)
    return text


def keys_removed(before: Mapping[str, Any], after: Mapping[str, Any]) -> list[tuple[str, ...]]:
    """The keys that these settings have and those have not.

    >>> keys_removed({"privacy": {"k": 5, "l": {"pay": 3}}, "seed": 7}, {"privacy": {"k": 3}, "seed": 7})
    [('privacy', 'l')]
    """
    return [tuple(path) for path, value in _differing(before, after) if value is None]


def _differing(before: Mapping[str, Any], after: Mapping[str, Any]) -> Iterator[tuple[list[str], Any]]:
    """The keys that have another value, each with that; None where it has none."""
    for key in dict.fromkeys((*before, *after)):
        was, will = before.get(key), after.get(key)
        if isinstance(was, Mapping) and isinstance(will, Mapping):
            yield from (([key, *path], value) for path, value in _differing(was, will))
        elif was != will:
            yield [key], will


def _changed(text: str, node: yaml.MappingNode, path: Sequence[str], value: Any) -> str:
    first, *rest = path
    at = next((at for at, (key, _) in enumerate(node.value) if key.value == first), None)
    if at is None:
        return text if value is None else _inserted(text, node, _entry(path, value))
    key, found = node.value[at]
    if rest and isinstance(found, yaml.MappingNode):
        return _changed(text, found, rest, value)
    if value is None:
        return text if rest else _removed(text, node, at)
    return f"{text[: key.end_mark.index]}: {flow(_nested(rest, value))}{text[_end(text, found) :]}"


def _inserted(text: str, node: yaml.MappingNode, entry: str) -> str:
    if node.flow_style:
        if not node.value:
            at = node.start_mark.index + 1
            return f"{text[:at]}{entry}{text[at:]}"
        at = _end(text, node.value[-1][1])
        return f"{text[:at]}, {entry}{text[at:]}"
    at = _end_of_line(text, _end(text, node.value[-1][1]))
    return f"{text[:at]}\n{' ' * node.value[0][0].start_mark.column}{entry}{text[at:]}"


def _removed(text: str, node: yaml.MappingNode, at: int) -> str:
    key, value = node.value[at]
    begin, end = key.start_mark.index, _end(text, value)
    if not node.flow_style and len(node.value) == 1 and key.start_mark.column:
        above = text[:begin].rstrip()  # its section is left, and without this would be null
        is_plain = above.endswith(":") and "#" not in above.rpartition("\n")[2]
        return f"{f'{above} ' if is_plain else text[:begin]}{{}}{text[end:]}"
    if not node.flow_style:
        begin, end = text.rfind("\n", 0, begin) + 1, min(_end_of_line(text, end) + 1, len(text))
    elif at + 1 < len(node.value):
        end = node.value[at + 1][0].start_mark.index
    elif at:
        begin = _end(text, node.value[at - 1][1])
    return text[:begin] + text[end:]


def _end(text: str, node: yaml.Node) -> int:
    """Where a value ends; PyYAML lets block collections reach to what follows them, comments included."""
    if isinstance(node, yaml.CollectionNode) and not node.flow_style and node.value:
        last = node.value[-1]
        return _end(text, last[1] if isinstance(last, tuple) else last)
    end = node.end_mark.index
    return len(text[:end].rstrip("\n")) if isinstance(node, yaml.ScalarNode) else end


def _end_of_line(text: str, at: int) -> int:
    found = text.find("\n", at)
    return len(text) if found < 0 else found


def _entry(path: Sequence[str], value: Any) -> str:
    return f"{scalar(path[0])}: {flow(_nested(path[1:], value))}"


def _nested(path: Sequence[str], value: Any) -> Any:
    for key in reversed(path):
        value = {key: value}
    return value


def _read(text: str) -> Any:
    faults = Faults()
    tree = read_marked(text, faults)
    faults.raise_any()
    return {} if tree is None else tree


def _expected(tree: Any, path: Sequence[str], value: Any) -> Any:
    """The values of a plan with one key changed."""
    first, *rest = path
    found = dict(tree) if isinstance(tree, Mapping) else {}
    if value is None and (not rest or not isinstance(found.get(first), Mapping)):
        return {key: one for key, one in found.items() if key != first or rest}
    if rest:
        return found | {first: _expected(found.get(first), rest, value)}
    return found | {first: _read(flow({"value": value}))["value"]}
