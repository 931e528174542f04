"""`ontomask link --review`: the doubtful values of a column, one after the other, on the terminal."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

from ontomask.cli.printing import print_table, say

if TYPE_CHECKING:
    from ontomask.linking.review import DecisionFile, Review
    from ontomask.ontology import Ontology

_HELP = "number: take it   /text: search   s: skip   u: undo   a 0.6: accept all left that score so   q: end"
_LAST = "That was the last one. u: undo   q or an empty line: end"
_ABOVE = 3


def review_on_terminal(review: Review, files: Sequence[DecisionFile], column: str) -> None:
    """Ask until somebody ends it, also after the last value: a step can still be taken back. Each decision is
    written at once."""
    total = len(review.open)
    if not total:
        say(f"{column}: nothing is doubtful")
        return
    say(f"{column}: {total:,} values to look at, those of most rows first. {_HELP}")
    while True:
        if review.next is None:
            say(_LAST)
        else:
            _show(review, total)
        answer = sys.stdin.readline()
        ends = ("q", "quit", "") if review.next is None else ("q", "quit")
        if not answer or answer.strip().lower() in ends:
            break
        before = dict(review.decided)
        _answered(review, answer.strip())
        if review.decided != before:
            for file in files:
                file.write(review.decided, review.links)
    say(f"{column}: {len(review.decided):,} decided, {total - len(review.decided):,} left")


def _answered(review: Review, answer: str) -> None:
    from ontomask.printable import shortened

    if review.next is None and answer.lower() != "u":
        return  # nothing is left that it could be about
    meanings = review.meanings()
    if answer.isdecimal():
        if 1 <= (number := int(answer[:9])) <= len(meanings):
            review.decide(meanings[number - 1])
        elif meanings:
            say(f"there is no {shortened(answer, 12)}: the meanings are 1 to {len(meanings)}")
        else:
            say("there is no meaning to take by its number: search for one with /text")
    elif answer.startswith("/"):
        if not review.search(answer[1:]):
            say("nothing is called that, or nearly that")
    elif answer.lower() == "s":
        review.skip()
    elif answer.lower() == "u":
        if not review.undo():
            say("nothing to undo")
    elif answer[:1].lower() == "a" and (score := _score(answer[1:])) is not None:
        say(f"{review.accept_above(score):,} accepted")
    else:
        say(_HELP)


def _score(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None


def _show(review: Review, total: int) -> None:
    from ontomask.printable import shortened

    one = review.next
    if one is None:
        return
    ontology = review.links.ontology
    taken = (
        "no concept" if one.concept is None else f"taken for {ontology.key(one.concept)} ({one.score:.2f})"
    )
    say()
    say(
        f"[{total - len(review.open) + 1}/{total}] {shortened(one.value)}   "
        f"rows: {review.rows.get(one.value, 0):,}   {taken}"
    )
    print_table(
        (),
        [
            (f"{number}", ontology.key(concept), ontology.gloss(concept)[:70], _lineage(ontology, concept))
            for number, concept in enumerate(review.meanings(), 1)
        ],
    )


def _lineage(ontology: Ontology, concept: int) -> str:
    """What stands right above a concept."""
    above = ontology.shortest_way(concept, 0)[1 : 1 + _ABOVE]
    return " < ".join(ontology.labels[one] for one in above)
