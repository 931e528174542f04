"""What a single setting may be: scalars of YAML are taken as written and read as their declaration wants."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable
from pathlib import PurePath
from typing import Any

from ontomask.errors import did_you_mean
from ontomask.measures import MEASURES
from ontomask.methods import METHODS
from ontomask.numerals import NO_MARK, THOUSANDS
from ontomask.options import Option
from ontomask.plan.faults import Faults, KeyPath, any_of
from ontomask.plan.marked_yaml import Written

_YAML_TRUTH = {"true": True, "yes": True, "on": True, "false": False, "no": False, "off": False}


def read_value(option: Option, value: Any, path: KeyPath, faults: Faults) -> Any:
    """The value as it was declared; where it is none, a fault is noted and the default given."""
    read: Callable[[Option, Any], Any] = _READERS.get(option.kind, _choice)
    try:
        return _checked(option, read(option, value))
    except ValueError as error:
        reason, *item = error.args
        faults.because((*path, *item), str(reason), value)
    return option.default


def natural(value: Any) -> Any:
    """What YAML means by a value: whole numbers, numbers, truth values and texts, in lists and mappings too.

    >>> natural({"l": [Written("3"), Written("0.2"), Written("yes"), Written("age"), "3"]})
    {'l': [3, 0.2, True, 'age', '3']}
    """
    if isinstance(value, dict):
        return {key: natural(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [natural(item) for item in value]
    if not isinstance(value, Written):
        return value
    is_numeric = value[:1] in "+-.0123456789"  # `nan` and `inf` are words
    for read in (_as_whole, _as_number) if is_numeric else (_as_truth,):
        if not isinstance(number := read(value), Written) and math.isfinite(number):
            return number
    return str(value)


def known_measure(name: str) -> str:
    if name not in MEASURES:
        raise wrong_choice(name, MEASURES)
    return name


def known_method(name: str) -> str:
    if name not in METHODS:
        raise wrong_choice(name, METHODS)
    return name


def known_encoding(name: str) -> str:
    try:
        "".encode(name)
    except (LookupError, ValueError):
        raise ValueError(f"{name!r} is not an encoding; common ones are utf-8, latin-1, cp1252") from None
    return name


def one_character(text: str) -> str:
    text = {"\\t": "\t", "tab": "\t"}.get(text, text)
    if len(text) != 1 or text in '"\r\n':
        raise ValueError(f"must be one character, such as ',' ';' or tab, not {text!r}")
    return text


def thousands_mark(text: str) -> str:
    """A mark between thousands, or `none`.

    >>> thousands_mark("blank"), thousands_mark("none"), thousands_mark("'")
    (' ', 'none', "'")
    """
    mark = " " if text == "blank" else text
    if mark != NO_MARK and mark not in THOUSANDS:
        raise ValueError(f"must be ',', '.', a blank, \"'\" or none, not {text!r}")
    return mark


def two_ends(text: str) -> str:
    """A text that says where the ends of a range are written, and has something between them."""
    _, _, rest = text.partition("{from}")
    between, found, _ = rest.partition("{to}")
    if not found or text.count("{from}") + text.count("{to}") > 2:
        raise ValueError(
            f"must have {{from}} and then {{to}} once each, such as {{from}}-{{to}}, not {text!r}"
        )
    if not between.strip(" .,0123456789") and ".." not in between:
        raise ValueError(
            f"must have something between {{from}} and {{to}} that is part of no number: {text!r}"
        )
    return text


def with_empty(na_values: tuple[str, ...]) -> tuple[str, ...]:
    """An empty cell is what a missing value may be written as, so it is always read as one."""
    return na_values if "" in na_values else ("", *na_values)


def some_text(text: str) -> str:
    """A text that says something."""
    if not text.strip():
        raise ValueError("must be a text, such as other")
    return text


def usable_weight(weight: float) -> float:
    # Distances are counted in steps of 2^-30; up to this weight the sums over a few columns stay exact.
    if weight > 1e6:
        raise ValueError(f"must be 1,000,000 or less, not {weight:g}")
    return weight


def share(value: Any) -> float:
    """A share of the rows: `2%`, or 0.02.

    >>> share("2%"), share(0.02), share("2 %"), share(0)
    (0.02, 0.02, 0.02, 0.0)
    """
    text = str(value).strip()
    is_percent = text.endswith("%")
    try:
        number = float(text.removesuffix("%")) / (100 if is_percent else 1)
    except ValueError:
        number = float("nan")
    if isinstance(value, bool) or not 0 <= number < 1:
        raise ValueError(f"must be a share of the rows, such as 2% or 0.02, not {shown(value)}")
    return number


def ranked(order: tuple[str, ...]) -> tuple[str, ...]:
    seen: set[str] = set()
    for value in order:
        if value in seen:
            raise ValueError(f"has {value!r} twice")
        seen.add(value)
    if len(order) < 2:
        raise ValueError("must have two values or more, lowest first")
    return order


# ---------------------------------------------------------------------- by type


def _checked(option: Option, value: Any) -> Any:
    if option.least is not None and value < option.least:
        raise ValueError(f"must be {option.least} or more, not {value}")
    if option.above is not None and value <= option.above:
        raise ValueError(f"must be above {option.above:g}, not {value:g}")
    return option.check(value) if option.check else value


def _truth(_: Option, value: Any) -> bool:
    value = _as_truth(value)
    if not isinstance(value, bool):
        raise ValueError(f"must be true or false, not {shown(value)}")
    return value


def _whole(_: Option, value: Any) -> int:
    value = _as_whole(value)
    if not isinstance(value, int) or isinstance(value, bool):
        raise ValueError(f"must be a whole number, not {shown(value)}")
    return value


def _number(_: Option, value: Any) -> float:
    number = _as_number(value)
    if isinstance(number, bool) or not isinstance(number, (int, float)) or not math.isfinite(number):
        raise ValueError(f"must be a number, not {shown(number)}")
    return float(number)


def _text(_: Option, value: Any) -> str:
    if not isinstance(value, (str, PurePath)):
        raise ValueError(f"must be text, not {shown(value)}; put it in quotes")
    if not str(value):
        raise ValueError("must not be empty")
    return str(value)


def _texts(_: Option, value: Any) -> tuple[str, ...]:
    if not isinstance(value, (list, tuple)):
        raise ValueError(f"must be a list, such as [a, b], not {shown(value)}")
    for i, item in enumerate(value):
        if not isinstance(item, str):
            raise ValueError(f"must be text, not {shown(item)}; put it in quotes", i)
    return tuple(map(str, value))


def _wholes(option: Option, value: Any) -> tuple[int, ...]:
    if not isinstance(value, (list, tuple)) or not value:
        raise ValueError(f"must be a list of whole numbers, such as [3, 2], not {shown(value)}")
    found = tuple(_whole(option, item) for item in value)
    if min(found) < 1:
        raise ValueError(f"must be whole numbers above 0, not {min(found)}")
    return found


def _lists(option: Option, value: Any) -> tuple[tuple[str, ...], ...]:
    """Lists of texts; one alone need not stand in a list."""
    if not isinstance(value, (list, tuple)):
        raise ValueError(f"must be a list, such as [a, b], not {shown(value)}")
    if not any(isinstance(item, (list, tuple)) for item in value):
        return (_texts(option, value),) if value else ()
    return tuple(_texts(option, item) for item in value)


def _by_name(option: Option, value: Any, read: Callable[[Option, Any], Any], example: str) -> dict[str, Any]:
    """A mapping of names to what `read` makes of each value."""
    if not isinstance(value, dict) or not value or not all(isinstance(key, str) for key in value):
        raise ValueError(f"must name what each is for, such as {example}, not {shown(value)}")
    return {str(key): read(option, item) for key, item in value.items()}


def _numbers_by_name(option: Option, value: Any) -> dict[str, float]:
    return _by_name(option, value, _number, "{age: 0.75}")


def _text_by_name(option: Option, value: Any) -> dict[str, str]:
    return _by_name(option, value, _text, "{sex: gender}")


def _texts_by_name(option: Option, value: Any) -> dict[str, tuple[str, ...]]:
    return _by_name(option, value, _texts, "{types: [Sign or Symptom]}")


def _choice(option: Option, value: Any) -> str:
    if not isinstance(value, str) or value not in option.choices:
        raise wrong_choice(value, option.choices)
    return str(value)


_READERS: dict[Any, Callable[[Option, Any], Any]] = {
    bool: _truth,
    int: _whole,
    float: _number,
    str: _text,
    tuple[str, ...]: _texts,
    tuple[int, ...]: _wholes,
    tuple[tuple[str, ...], ...]: _lists,
    dict[str, float]: _numbers_by_name,
    dict[str, str]: _text_by_name,
    dict[str, tuple[str, ...]]: _texts_by_name,
}


def _as_whole(value: Any) -> Any:
    is_whole = isinstance(value, Written) and re.fullmatch(r"[-+]?[0-9]{1,300}", value)
    return int(value) if is_whole else value


def _as_number(value: Any) -> Any:
    try:
        return float(value) if isinstance(value, Written) else value
    except ValueError:
        return value


def _as_truth(value: Any) -> Any:
    return _YAML_TRUTH.get(value.lower(), value) if isinstance(value, Written) else value


def wrong_choice(value: Any, allowed: Iterable[str]) -> ValueError:
    """What to raise for a text that is not among those allowed."""
    allowed = list(allowed)
    return ValueError(f"must be {any_of(allowed)}, not {shown(value)}{did_you_mean(value, allowed)}")


def shown(value: Any) -> str:
    """A value in short; quotes tell the text '7' from the number 7."""
    if isinstance(value, Written) and value[:1] in "+-.0123456789":
        return str(value)
    text = repr(str(value) if isinstance(value, str) else value)
    return text if len(text) <= 60 else f"{text[:57]}..."
