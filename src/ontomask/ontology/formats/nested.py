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
YAML events, so nothing is ever constructed from tags and depth needs no recursion. A text with one label on
each line, as it is written here, is read line by line: lines that were read before, as all but a few are of
a tree that is edited, take a fifth of the time.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any

import yaml

from ontomask.errors import OntologyError
from ontomask.ontology.core import Ontology
from ontomask.ontology.draft import DEEPEST, Draft, at, too_deep
from ontomask.ontology.formats.reading import one_line, peek_text, read_text

STANDS_FOR = "="
NO_CONCEPT = ""
"""What a label stands for by which nothing is said but what stands below it, whatever it is called."""
LONGEST_KEY = 1_000  # characters; the YAML reader looks no further for the colon after a label
LONGEST_ESCAPE = len(r"\u0009")  # of a character that is quoted

_CONCEPT = -1
_NULLS = {"", "~", "null", "Null", "NULL"}
_PLAIN_TAGS = {None, "!", *(f"tag:yaml.org,2002:{kind}" for kind in ("str", "map", "seq"))}
_Loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_JSON_STRING = re.compile(r'"(?:[^"\\]|\\.)*"')

Part = tuple[int, str, str | None]  # the depth of a label, the label, what it stands for
KEPT = 1 << 16
"""Labels that are remembered as they are written: a tree is written anew with every edit."""
_PLAIN = r"[^\W\d_](?:[\w .()/+-]*[\w)])?"
_QUOTED = r'"(?:[^"\\]|\\["\\]|\\u[0-9a-f]{4})*"'
_SCALAR = f"{_PLAIN}|{_QUOTED}"
_LINE = re.compile(rf"({_SCALAR}|=):(?: (\{{(?:=: ({_SCALAR}))?\}}|{_SCALAR}))?")
_IS_PLAIN = re.compile(_PLAIN).fullmatch
_NOT_WORDS = {"y", "yes", "n", "no", "true", "false", "on", "off", "null"}  # to other readers of YAML
_INDENT = 2
_DEEP = 100  # levels; deeper ones, which nobody writes, are left to the YAML reader
_OTHERWISE: tuple[Part, bool] = ((_DEEP + 2, "", None), False)


@dataclass
class Entry:
    """A label where it stands: the place of its parent in the list of entries, and what it stands for."""

    label: str
    parent: int | None
    line: int
    stands_for: list[str] = field(default_factory=list)


@dataclass
class _Level:
    """A mapping or list being read: the children of `parent`."""

    parent: int | None
    is_list: bool
    key: int | None = None  # in a mapping: the entry whose children come next, or _CONCEPT


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
    entries = parse(read_text(path), path)
    draft = Draft(name, path)
    for entry in entries:
        draft.concept(entry.label, entry.label, entry.line)
        if entry.parent is not None:
            draft.is_a(entry.label, entries[entry.parent].label, entry.line)
        for concept in entry.stands_for:
            draft.term(entry.label, concept)
    return draft.finish()


def parse(text: str, source: Path) -> list[Entry]:
    """The labels of a nested text, parents before children; the name of its file says whether it is JSON.

    >>> [(entry.label, entry.parent) for entry in parse("pain: {ache: [lumbago], colic: }", Path("t.yaml"))]
    [('pain', None), ('ache', 0), ('lumbago', 1), ('colic', 0)]
    """
    if source.suffix.lower() == ".json":
        return _by_events(_json_as_yaml(text, source), source)
    found = by_lines(text)
    return _by_events(text, source) if found is None else _entries(*found)


@lru_cache(KEPT)
def scalar(text: str) -> str:
    """A text as YAML reads it: as it is, or in quotes.

    >>> scalar("Norway"), scalar("no")
    ('Norway', '"no"')
    """
    return text if _IS_PLAIN(text) and text.lower() not in _NOT_WORDS else quoted(text)


def by_lines(text: str) -> tuple[list[Part], list[int]] | None:
    """The labels of a text that has one on each line, and the numbers of the lines; None of any other text.

    >>> by_lines("pain:\\n  =: pain.n.01\\n  ache: {}\\n")
    ([(0, 'pain', 'pain.n.01'), (1, 'ache', None)], [1, 3])
    """
    parts: list[Part] = []
    numbers: list[int] = []
    deepest = 0  # that the next line may stand
    for number, line in enumerate(text.split("\n"), 1):
        part, is_open = _read_line(line)
        depth, label, concept = part
        if depth > deepest:
            return None
        if label:
            parts.append(part)
            numbers.append(number)
            deepest = depth + is_open
        elif concept is not None:
            if not parts or parts[-1][0] != depth - 1 or parts[-1][2] is not None:
                return None
            parts[-1] = (depth - 1, parts[-1][1], concept)
            deepest = depth
    return (parts, numbers) if parts else None


def _entries(parts: list[Part], numbers: list[int]) -> list[Entry]:
    entries: list[Entry] = []
    above: list[int] = []
    for (depth, label, concept), number in zip(parts, numbers, strict=True):
        del above[depth:]
        stands_for = [] if concept is None else [concept]
        entries.append(Entry(label, above[-1] if above else None, number, stands_for))
        above.append(len(entries) - 1)
    return entries


@lru_cache(2 * KEPT)
def _read_line(line: str) -> tuple[Part, bool]:
    """What a line says, and whether others may stand below its label.

    A concept without a label is that of the label above it. What is to be read by YAML's own rules stands
    deeper than anything.
    """
    said = line.lstrip(" ")
    if not said or (said[0] == "#" and said.isprintable()):
        return (0, "", None), False
    depth, odd = divmod(len(line) - len(said), _INDENT)
    found = _LINE.fullmatch(said) if said.isprintable() and len(said) <= LONGEST_KEY else None
    if found is None or odd or depth > _DEEP:
        return _OTHERWISE
    key, follows, within = found.groups()
    if key == STANDS_FOR:
        concept = _concept(follows)
        return _OTHERWISE if concept is None else ((depth, "", concept), False)
    label, concept = _unquoted(key), _concept(within)
    is_label = label.strip() and label != STANDS_FOR and "\n" not in label and "\r" not in label
    is_read = follows in (None, "{}") or concept is not None
    return ((depth, label, concept), follows is None) if is_label and is_read else _OTHERWISE


def _concept(scalar: str | None) -> str | None:
    """The concept that a scalar names, which an empty text in quotes denies; None if it is to be read
    otherwise."""
    return NO_CONCEPT if scalar == '""' else _unquoted(scalar) or None


def _unquoted(scalar: str | None) -> str:
    """What a scalar says; nothing where there is none, or one that YAML may read otherwise."""
    if scalar is None or scalar in _NULLS or scalar[0] == "{" or r"\ud" in scalar:
        return ""
    return str(json.loads(scalar)) if scalar[0] == '"' else scalar


def _by_events(text: str, source: Path) -> list[Entry]:
    """The labels of any nested text, as YAML has it."""
    entries: list[Entry] = []
    levels: list[_Level] = []
    for event in _events(text, source):
        match event:
            case yaml.ScalarEvent():
                _read_scalar(event, levels, entries, source)
            case yaml.CollectionStartEvent():
                levels.append(_opened(event, levels, source))
            case yaml.CollectionEndEvent():
                levels.pop()
    return entries


def quoted(text: str) -> str:
    """A text in double quotes, as both YAML and JSON read it.

    >>> print(quoted('say "a\\tb"'))
    "say \\"a\\u0009b\\""
    """
    return '"' + "".join(map(_escaped, text)) + '"'


def _escaped(character: str) -> str:
    if character in '\\"':
        return "\\" + character
    # What is no character by itself cannot be escaped, and beyond four digits the two languages differ.
    is_odd = not character.isprintable() and (character < "\ud800" or "\udfff" < character <= "\uffff")
    return f"\\u{ord(character):04x}" if is_odd else character


def _opened(event: yaml.CollectionStartEvent, levels: list[_Level], path: Path) -> _Level:
    is_list = isinstance(event, yaml.SequenceStartEvent)
    if not levels:
        return _Level(None, is_list)
    if len(levels) > DEEPEST + 1:
        raise too_deep(**_at(path, event))
    above = levels[-1]
    if above.is_list and not is_list:
        return _Level(above.parent, is_list)
    if above.key is None or above.key == _CONCEPT:
        raise OntologyError("a mapping or list stands where a label is expected", **_at(path, event))
    parent, above.key = above.key, None
    return _Level(parent, is_list)


def _read_scalar(event: yaml.ScalarEvent, levels: list[_Level], entries: list[Entry], source: Path) -> None:
    is_null = event.implicit[0] and event.value in _NULLS  # implicit: neither quoted nor tagged
    if not levels:
        raise OntologyError(
            f"expected a mapping of labels to their children, found {event.value!r}",
            **_at(source, event),
            value=event.value,
        )
    level = levels[-1]
    if level.is_list or level.key is None:
        if event.value == STANDS_FOR and not level.is_list:
            level.key = _CONCEPT
            return
        line = _line(event)
        label = one_line(event.value, source, line)
        level.key = None if level.is_list else len(entries)
        entries.append(Entry(label, level.parent, line))
    elif level.key == _CONCEPT:
        if level.parent is None or is_null:
            raise OntologyError(
                "'=' names what the label above it stands for, as in `pain: {=: ache}`", **_at(source, event)
            )
        entries[level.parent].stands_for.append(event.value)
        level.key = None
    else:
        if not is_null:
            label = entries[level.key].label
            raise OntologyError(
                f"{label!r} has {event.value!r} where its children should stand",
                **_at(source, event),
                value=label,
                remedy=f"write [{event.value}] for a single child",
            )
        level.key = None


def _events(text: str, path: Path) -> Iterator[yaml.Event]:
    """The YAML events of one document, without aliases and tags."""
    documents = 0
    try:
        for event in yaml.parse(text, Loader=_Loader):
            match event:
                case yaml.ScalarEvent() | yaml.CollectionStartEvent():
                    if event.tag not in _PLAIN_TAGS:
                        raise OntologyError(
                            f"the tag {event.tag!r} has no meaning here",
                            **_at(path, event),
                            value=event.tag,
                            remedy="remove it",
                        )
                case yaml.AliasEvent():
                    raise OntologyError(
                        f"the alias *{event.anchor} puts one node in two places",
                        **_at(path, event),
                        remedy="a hierarchy file is a tree, so write its labels out",
                    )
                case yaml.DocumentStartEvent():
                    documents += 1
                    if documents > 1:
                        raise OntologyError(
                            "a second document starts", **_at(path, event), remedy="keep one per file"
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
        return quoted(json.loads(found)) if r"\ud" in found.lower() else found

    return _JSON_STRING.sub(unescaped, text.replace("\t", " "))


def _at(source: str | Path, event: yaml.Event) -> dict[str, Any]:
    return at(source, _line(event))


def _line(event: yaml.Event) -> int:
    return event.start_mark.line + 1 if event.start_mark else 0
