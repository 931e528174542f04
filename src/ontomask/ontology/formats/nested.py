"""Nested YAML or JSON: a tree written as labels inside labels.

Under a label stand its children: a mapping, a list of labels (or of mappings), or nothing (``{}``, ``[]``,
null). The label is the id, so it may occur once only. The special key ``=`` under a label names the concept
or sense the node stands for, which becomes a synonym of it::

    symptom:
      pain:
        =: pain.n.01
        ache: [lumbago, migraine]
      inflammation: {}

Labels are what is written: ``no`` is Norway and ``1.50`` keeps its zero. The file is read as a stream of
YAML events, so nothing is ever constructed from tags and depth needs no recursion.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from ontomask.errors import OntologyError
from ontomask.ontology.core import Ontology
from ontomask.ontology.draft import DEEPEST, Draft, at, too_deep
from ontomask.ontology.formats.reading import one_line, peek_text, read_text

STANDS_FOR = "="

_NULLS = {"", "~", "null", "Null", "NULL"}
_PLAIN_TAGS = {None, "!", *(f"tag:yaml.org,2002:{kind}" for kind in ("str", "map", "seq"))}
_Loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_JSON_STRING = re.compile(r'"(?:[^"\\]|\\.)*"')


@dataclass
class _Level:
    """A mapping or list being read: the children of `parent`."""

    parent: str | None
    is_list: bool
    key: str | None = None  # in a mapping: the label whose children come next


def recognises(path: Path) -> bool:
    """A YAML or JSON file, other than linked data."""
    suffix = path.suffix.lower()
    return path.is_file() and (
        suffix in {".yaml", ".yml"} or (suffix == ".json" and '"@context"' not in peek_text(path))
    )


def source_files(path: Path) -> list[Path]:
    """The files that determine the result."""
    return [path]


def load(path: Path, name: str) -> Ontology:
    """Read a nested YAML or JSON file."""
    text = read_text(path)
    if path.suffix.lower() == ".json":
        text = _json_as_yaml(text, path)
    draft = Draft(name, path)
    levels: list[_Level] = []
    for event in _events(text, path):
        match event:
            case yaml.MappingStartEvent() | yaml.SequenceStartEvent():
                levels.append(_opened(event, levels, path))
            case yaml.MappingEndEvent() | yaml.SequenceEndEvent():
                levels.pop()
            case yaml.ScalarEvent():
                _read_scalar(event, levels, draft)
    return draft.finish()


def _opened(event: yaml.CollectionStartEvent, levels: list[_Level], path: Path) -> _Level:
    is_list = isinstance(event, yaml.SequenceStartEvent)
    if not levels:
        return _Level(None, is_list)
    if len(levels) > DEEPEST + 1:
        raise too_deep(**_at(path, event))
    above = levels[-1]
    if above.is_list and not is_list:
        return _Level(above.parent, is_list)
    if above.key is None or above.key == STANDS_FOR:
        raise OntologyError("a mapping or list stands where a label is expected", **_at(path, event))
    parent, above.key = above.key, None
    return _Level(parent, is_list)


def _read_scalar(event: yaml.ScalarEvent, levels: list[_Level], draft: Draft) -> None:
    where = _at(draft.source, event)
    is_null = event.implicit[0] and event.value in _NULLS  # implicit: neither quoted nor tagged
    if not levels:
        raise OntologyError(
            f"expected a mapping of labels to their children, found {event.value!r}",
            **where,
            value=event.value,
        )
    level = levels[-1]
    if level.is_list or level.key is None:
        if event.value == STANDS_FOR and not level.is_list:
            level.key = STANDS_FOR
            return
        line = _line(event)
        label = one_line(event.value, draft.source, line)
        draft.concept(label, label, line)
        if level.parent is not None:
            draft.is_a(label, level.parent, line)
        level.key = None if level.is_list else label
    elif level.key == STANDS_FOR:
        if level.parent is None or is_null:
            raise OntologyError(
                "'=' names what the label above it stands for, as in `pain: {=: ache}`", **where
            )
        draft.term(level.parent, event.value)
        level.key = None
    else:
        if not is_null:
            raise OntologyError(
                f"{level.key!r} has {event.value!r} where its children should stand",
                **where,
                value=level.key,
                remedy=f"write [{event.value}] for a single child",
            )
        level.key = None


def _events(text: str, path: Path) -> Iterator[yaml.Event]:
    """The YAML events of one document, without aliases and tags."""
    documents = 0
    try:
        for event in yaml.parse(text, Loader=_Loader):
            if isinstance(event, yaml.DocumentStartEvent):
                documents += 1
                if documents > 1:
                    raise OntologyError(
                        "a second document starts", **_at(path, event), remedy="keep one per file"
                    )
            if isinstance(event, yaml.AliasEvent):
                raise OntologyError(
                    f"the alias *{event.anchor} puts one node in two places",
                    **_at(path, event),
                    remedy="a hierarchy file is a tree, so write its labels out",
                )
            if (
                isinstance(event, (yaml.ScalarEvent, yaml.CollectionStartEvent))
                and event.tag not in _PLAIN_TAGS
            ):
                raise OntologyError(
                    f"the tag {event.tag!r} has no meaning here",
                    **_at(path, event),
                    value=event.tag,
                    remedy="remove it",
                )
            yield event
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        line, column = (mark.line + 1, mark.column + 1) if mark else (0, 0)
        problem = ", ".join(part for part in (error.context, error.problem) if part)
        raise OntologyError(
            f"not valid YAML at column {column} ({problem}); is the file cut short?", **at(path, line)
        ) from None
    except (yaml.YAMLError, UnicodeError) as error:
        raise OntologyError(f"not valid YAML ({str(error).splitlines()[0]})", **at(path)) from None


def _json_as_yaml(text: str, path: Path) -> str:
    """Check JSON, then rewrite, line by line, the little that YAML does not take.

    Only the YAML reader tells the line of every label, but it knows no tabs and no surrogate escapes.
    """
    try:
        json.loads(text, parse_int=str)
    except json.JSONDecodeError as error:
        raise OntologyError(
            f"not valid JSON at column {error.colno} ({error.msg}); is the file cut short?",
            **at(path, error.lineno),
        ) from None
    except RecursionError:
        raise OntologyError("nested too deeply for JSON", **at(path), remedy="write it as YAML") from None

    def unescaped(string: re.Match[str]) -> str:
        found = string[0]
        return json.dumps(json.loads(found), ensure_ascii=False) if r"\ud" in found.lower() else found

    return _JSON_STRING.sub(unescaped, text.replace("\t", " "))


def _at(source: str | Path, event: yaml.Event) -> dict[str, Any]:
    return at(source, _line(event))


def _line(event: yaml.Event) -> int:
    return event.start_mark.line + 1 if event.start_mark else 0
