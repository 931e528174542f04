"""Several answers in one text (`hiking; fishing`): how a text is split, and whether a column has such texts.

Pure functions over texts; what a part means is asked of whoever knows.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Set
from typing import NamedTuple

_PLAIN = (";", "|", "\n")  # of which words have none
_PERHAPS = (",", "/", "+", "&")  # which stand in names of one thing too
# ... and what stands in many of them: *track and field*, *white - British*.
_WORDS = ("-", "\u2013", "and", "und", "et", "y", "e")
_OFTEN_ONE = tuple(dict.fromkeys(f" {cased} " for word in _WORDS for cased in (word, word.upper())))
_CODE = re.compile(r"[A-Za-z]+\d[\w.]*$")
_ENOUGH = 3


class Several(NamedTuple):
    """The separator of a column, and its texts that hold several answers."""

    separator: str
    texts: tuple[str, ...]


def answers_of(text: str, separator: str, na_values: Set[str] = frozenset()) -> tuple[str, ...]:
    """The answers of a text, each once; what means no value is none.

    >>> answers_of("hiking;  fishing ;; hiking", ";")
    ('hiking', 'fishing')
    """
    parts = (part.strip() for part in text.split(separator))
    return tuple(dict.fromkeys(part for part in parts if part and part not in na_values))


def rows_of_answers(
    rows: Mapping[str, int], separator: str, na_values: Set[str] = frozenset()
) -> dict[str, int]:
    """How many rows have each answer, where so many have each text.

    >>> rows_of_answers({"hiking; fishing": 2, "fishing": 3}, ";")
    {'hiking': 2, 'fishing': 5}
    """
    found: Counter[str] = Counter()
    for text, n in rows.items():
        found.update(dict.fromkeys(answers_of(text, separator, na_values), n))
    return dict(found)


def several_answers(
    texts: Collection[str],
    known_of: Callable[[Collection[str]], Collection[str]],
    among: Collection[str] | None = None,
) -> Several | None:
    """The separator that most texts of a column have between answers; None if each seems to be one.

    Some part of such a text, which must be `among` some, is known: it stands alone in the column, or
    is one of those that `known_of` gives of some parts. Where names of one thing may have the separator too
    (*Paris, France*), three texts at least must be such, all of their parts known, and each part stand in
    another text of the column. Of dashes and words for *and* each part must stand there alone; and where
    nobody said which texts may be several, all that have the word must be: *track and field* is one. A blank
    separates codes alone, all of them known.

    >>> several_answers(["hiking", "hiking; fishing", "chess"], {"fishing", "hiking"}.intersection)
    Several(separator=';', texts=('hiking; fishing',))
    >>> several_answers(["salt, sea", "hiking"], {"salt", "sea"}.intersection) is None
    True
    >>> several_answers(["golf", "chess", "go", "golf and go", "go and chess", "chess and golf"], set)
    Several(separator=' and ', texts=('golf and go', 'go and chess', 'chess and golf'))
    """
    found: list[Several] = []
    asked = set(texts if among is None else among)
    for separator in (*_PLAIN, *_PERHAPS):
        split = {text: answers_of(text, separator) for text in texts if separator in text}
        if not any(len(parts) > 1 for parts in split.values()):
            continue
        alone = {text.strip() for text in texts if separator not in text}
        times = Counter(part for parts in split.values() for part in parts)
        is_plain = separator in _PLAIN
        possible = {
            text: parts
            for text, parts in split.items()
            if len(parts) > 1
            and text in asked
            and (is_plain or all(part in alone or times[part] > 1 for part in parts))
        }
        unclear = dict.fromkeys(part for parts in possible.values() for part in parts if part not in alone)
        known = alone.union(known_of(unclear) if unclear else ())
        mine = tuple(
            text
            for text, parts in possible.items()
            if (any if is_plain else all)(map(known.__contains__, parts))
        )
        if len(mine) >= (1 if is_plain else _ENOUGH):
            found.append(Several(separator, mine))
    for word in _OFTEN_ONE:
        with_word = [text for text in texts if word in text]
        mine = tuple(_made_of_others(with_word, word, texts))
        of_those_asked = tuple(text for text in mine if text in asked)
        if len(of_those_asked) >= _ENOUGH and (among is not None or len(mine) == len(with_word)):
            found.append(Several(word, of_those_asked))
    codes = {text: answers_of(text, " ") for text in asked if " " in text.strip()}
    codes = {text: parts for text, parts in codes.items() if len(parts) > 1 and all(map(_CODE.match, parts))}
    known = set(known_of({part for parts in codes.values() for part in parts})) if codes else set()
    if mine := tuple(text for text in texts if text in codes and known.issuperset(codes[text])):
        found.append(Several(" ", mine))
    return max(found, key=lambda one: len(one.texts), default=None)


def _made_of_others(with_word: Collection[str], word: str, texts: Collection[str]) -> Iterator[str]:
    """Those whose parts all are texts of the column, in capitals or not, and no numbers: `20 - 30` is one."""
    if not with_word:
        return
    alone = {text.strip().casefold() for text in texts if any(map(str.isalpha, text))}
    for text in with_word:
        parts = answers_of(text, word)
        if len(parts) > 1 and alone.issuperset(part.casefold() for part in parts):
            yield text
