"""What a single setting may be: plain YAML scalars are taken as written and read as the model wants them."""

from __future__ import annotations

import re
from pathlib import PurePath
from typing import Annotated, Any

from pydantic import BeforeValidator, Field

from ontomask.measures import MEASURES
from ontomask.plan.marked_yaml import Written
from ontomask.plan.messages import any_of, did_you_mean

_YAML_TRUTH = {"true": True, "yes": True, "on": True, "false": False, "no": False, "off": False}


def _as_text(value: Any) -> Any:
    return str(value) if isinstance(value, (Written, PurePath)) else value


def _as_whole(value: Any) -> Any:
    return int(value) if isinstance(value, Written) and re.fullmatch(r"[-+]?[0-9]+", value) else value


def _as_number(value: Any) -> Any:
    if isinstance(value, Written):
        try:
            return float(value)
        except ValueError:
            return value
    return value


def as_truth(value: Any) -> Any:
    return _YAML_TRUTH.get(value.lower(), value) if isinstance(value, Written) else value


def _as_tuple(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value


def known_measure(name: str) -> str:
    if name not in MEASURES:
        raise ValueError(f"must be {any_of(MEASURES)}, not {name!r}{did_you_mean(name, MEASURES)}")
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


def positive_k(k: int) -> int:
    if k < 1:
        raise ValueError(f"must be 1 or more (2 or more to protect anybody), not {k}")
    return k


def ranked(order: tuple[str, ...]) -> tuple[str, ...]:
    twice = [value for i, value in enumerate(order) if value in order[:i]]
    if twice:
        raise ValueError(f"has {twice[0]!r} twice")
    if len(order) < 2:
        raise ValueError("must have two values or more, lowest first")
    return order


Text = Annotated[str, BeforeValidator(_as_text)]
Name = Annotated[str, Field(min_length=1), BeforeValidator(_as_text)]
Whole = Annotated[int, BeforeValidator(_as_whole)]
Number = Annotated[float, Field(allow_inf_nan=False), BeforeValidator(_as_number)]
Truth = Annotated[bool, BeforeValidator(as_truth)]
Texts = Annotated[tuple[Text, ...], BeforeValidator(_as_tuple)]
