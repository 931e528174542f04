"""YAML as it is written: every scalar as its text, every key with its line.

What a scalar means is for the reader's model to say, so `no` can be Norway and `1.0` a code that keeps its
zero. Only the node graph is composed; nothing is ever constructed from tags. Knows nothing of plans.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import yaml

from ontomask.plan.faults import Faults, KeyPath

_STANDARD = "tag:yaml.org,2002:"
_NULL = f"{_STANDARD}null"
_KINDS = ("map", "seq", "str", "null", "bool", "int", "float", "timestamp", "merge", "value")
_TAGS = {_STANDARD + kind for kind in _KINDS}
_DEEPEST = 8  # aliases can make a file endlessly deep
_MOST_VALUES = 200_000  # and nine short lines of them four hundred million values
_LONGEST = 2_000_000  # characters; some ten seconds, and the plan of 30,000 columns


class Written(str):
    """A scalar without quotes: text, or the number or truth value it spells, as the model wants."""

    __slots__ = ()


class _TooMuchError(Exception):
    """There are more values than anybody wrote."""


def read_marked(text: str, faults: Faults) -> Any:
    """Read one YAML document into dicts, lists and texts; None if it is empty or not YAML.

    >>> faults = Faults()
    >>> read_marked("missing: [no, 1.0]", faults)
    {'missing': ['no', '1.0']}
    >>> faults.lines
    {(): 1, ('missing',): 1, ('missing', 0): 1, ('missing', 1): 1}
    """
    if len(text) > _LONGEST:
        faults.add((), f"more than {_LONGEST:,} characters", "name fewer columns and say `others`")
        return None
    try:
        node = yaml.compose(text, yaml.SafeLoader)
        return _value(node, (), faults) if node else None
    except _TooMuchError as error:
        line = error.args[0]
        faults.add((), f"aliases make it more than {_MOST_VALUES:,} values", "write it out", line=line)
    except yaml.MarkedYAMLError as error:
        _add_syntax_fault(error, faults)
    except yaml.reader.ReaderError as error:
        line = text.count("\n", 0, error.position) + 1
        faults.add((), f"the character {chr(error.character)!r} is not allowed in YAML", line=line)
    except RecursionError:
        faults.add((), "nested far too deeply", line=1)
    return None


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


def _value(node: yaml.Node, path: KeyPath, faults: Faults) -> Any:
    line = node.start_mark.line + 1
    faults.lines.setdefault(path, line)
    if len(faults.lines) > _MOST_VALUES:
        raise _TooMuchError(line)
    if len(path) > _DEEPEST:
        faults.add(path[:2], "nested too deeply", line=line)
        return None
    if node.tag not in _TAGS:
        faults.add(path, f"remove the tag {node.tag}", line=line)
        return None
    match node:
        case yaml.MappingNode():
            return {
                key: None if value.tag == _NULL else _value(value, (*path, key), faults)
                for key, value in _entries(node, path, faults)
            }
        case yaml.SequenceNode():
            return [_value(item, (*path, i), faults) for i, item in enumerate(node.value)]
        case yaml.ScalarNode(style=str()):
            return node.value
    return Written(node.value)


def _entries(node: yaml.MappingNode, path: KeyPath, faults: Faults) -> Iterator[tuple[str, yaml.Node]]:
    """Keys and values; of a key that is there twice, the first."""
    first: dict[str, int] = {}
    for key_node, value in node.value:
        line = key_node.start_mark.line + 1
        if not isinstance(key_node, yaml.ScalarNode):
            faults.add(path, "a key must be text", "is a quote missing?", line=line)
            continue
        key = str(key_node.value)
        if key in first:
            faults.add((*path, key), f"given twice (first in line {first[key]})", "keep one", line=line)
            continue
        first[key] = line
        faults.lines[*path, key] = line
        yield key, value


def _add_syntax_fault(error: yaml.MarkedYAMLError, faults: Faults) -> None:
    mark = error.problem_mark or error.context_mark
    text, remedy = f"not YAML: {error.problem or error.context}", ""
    if "'\\t'" in text:
        remedy = "indent with spaces, not tabs"
    elif error.context and error.problem:
        text += f" ({error.context})"
    faults.add((), text, remedy, line=mark.line + 1 if mark else 0)
