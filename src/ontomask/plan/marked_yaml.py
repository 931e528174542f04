"""YAML as it is written: every scalar as its text, every key with its line.

What a scalar means is for the reader's model to say, so `no` can be Norway and `1.0` a code that keeps its
zero. Only the node graph is composed; nothing is ever constructed from tags. Knows nothing of plans.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import yaml

KeyPath = tuple[str | int, ...]

_STANDARD = "tag:yaml.org,2002:"
_NULL = f"{_STANDARD}null"
_DEEPEST = 8  # aliases can make a file endlessly deep


class Written(str):
    """A scalar without quotes: text, or the number or truth value it spells, as the model wants."""

    __slots__ = ()


class Fault(NamedTuple):
    """Something wrong at a key; line 0 if it is not known."""

    line: int
    path: KeyPath
    text: str

    def __str__(self) -> str:
        return f"{dotted(self.path)}: {self.text}" if self.path else self.text


class MarkedTree(NamedTuple):
    """What was read: dicts, lists and texts; `tree` is None if the file is empty or not YAML."""

    tree: Any
    lines: dict[KeyPath, int]
    faults: list[Fault]


def read_marked(text: str) -> MarkedTree:
    """Read one YAML document.

    >>> read_marked("missing: [no, 1.0]").tree
    {'missing': ['no', '1.0']}
    >>> [str(fault) for fault in read_marked("a: 1\\na: 2").faults]
    ['a: given twice (first in line 1); keep one']
    """
    found = MarkedTree(None, {}, [])
    try:
        node = yaml.compose(text, yaml.SafeLoader)
    except yaml.MarkedYAMLError as error:
        found.faults.append(_syntax_fault(error))
        return found
    except yaml.reader.ReaderError as error:
        line = text.count("\n", 0, error.position) + 1
        found.faults.append(Fault(line, (), f"the character {chr(error.character)!r} is not allowed in YAML"))
        return found
    except RecursionError:
        found.faults.append(Fault(1, (), "nested far too deeply"))
        return found
    return found._replace(tree=_value(node, (), found) if node else None)


class _Dumper(yaml.SafeDumper):
    """Puts text with unprintable characters (line separators, say) in double quotes, which keep them."""


_Dumper.add_representer(
    str,
    lambda dumper, text: dumper.represent_scalar(
        f"{_STANDARD}str", text, style=None if text.isprintable() else '"'
    ),
)


def write_yaml(tree: Any) -> str:
    """YAML in the order of the tree, innermost mappings and lists on one line."""
    text: str = yaml.dump(
        tree, Dumper=_Dumper, sort_keys=False, allow_unicode=True, default_flow_style=None, width=2**31
    )
    return text


def near_line(lines: Mapping[KeyPath, int], path: KeyPath) -> int:
    """The line of a key or, if it is not in the file, of what it belongs to."""
    return next((lines[path[:n]] for n in range(len(path), -1, -1) if path[:n] in lines), 0)


def dotted(path: KeyPath) -> str:
    """`table.na_values[2]` for ("table", "na_values", 2)."""
    text = "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in path)
    return text.removeprefix(".")


def _value(node: yaml.Node, path: KeyPath, found: MarkedTree) -> Any:
    line = node.start_mark.line + 1
    found.lines.setdefault(path, line)
    if len(path) > _DEEPEST:
        found.faults.append(Fault(line, path[:2], "nested too deeply"))
        return None
    if not node.tag.startswith(_STANDARD):
        found.faults.append(Fault(line, path, f"remove the tag {node.tag}"))
        return None
    match node:
        case yaml.MappingNode():
            return {
                key: None if value.tag == _NULL else _value(value, (*path, key), found)
                for key, value in _entries(node, path, found)
            }
        case yaml.SequenceNode():
            return [_value(item, (*path, i), found) for i, item in enumerate(node.value)]
        case yaml.ScalarNode(style=str()):
            return node.value
    return Written(node.value)


def _entries(node: yaml.MappingNode, path: KeyPath, found: MarkedTree) -> Iterator[tuple[str, yaml.Node]]:
    """Keys and values; of a key that is there twice, the first."""
    first: dict[str, int] = {}
    for key_node, value in node.value:
        line = key_node.start_mark.line + 1
        if not isinstance(key_node, yaml.ScalarNode):
            found.faults.append(Fault(line, path, "a key must be text; is a quote missing?"))
            continue
        key = str(key_node.value)
        if key in first:
            text = f"given twice (first in line {first[key]}); keep one"
            found.faults.append(Fault(line, (*path, key), text))
            continue
        first[key] = line
        found.lines[*path, key] = line
        yield key, value


def _syntax_fault(error: yaml.MarkedYAMLError) -> Fault:
    mark = error.problem_mark or error.context_mark
    text = f"not YAML: {error.problem or error.context}"
    if "'\\t'" in text:
        text += "; indent with spaces, not tabs"
    elif error.context and error.problem:
        text += f" ({error.context})"
    return Fault(mark.line + 1 if mark else 0, (), text)
