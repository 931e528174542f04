"""The five questions that a report begins with, and their answers."""

from __future__ import annotations

from typing import NamedTuple

from ontomask.printable import people, some_of
from ontomask.report import words
from ontomask.report.changes import SUPPRESSED_TEXT, Changes
from ontomask.report.examples import Example, examples
from ontomask.report.meaning import is_upward
from ontomask.report.reported import Reported

_TYPICAL = 0.02  # of the people: what happens to fewer is no example of what usually happens


class Fact(NamedTuple):
    """A question of the summary with its answer in a few words, and in full."""

    question: str
    answer: str
    text: str


def summary(told: Reported) -> list[Fact]:
    """Five questions with their answers, one after the other."""
    return [_what(told), _k_anonymous(told), _risk(told), _most_lost(told), _typical(told)]


def _what(told: Reported) -> Fact:
    n = len(told.masked)
    parts = [words.method_in_words(told.release)]
    parts += _truth(told)
    if told.dropped:
        parts.append(f"Dropped: {some_of(told.dropped)}.")
    followers = told.plan.followers
    pseudonyms = told.plan.with_role("pseudonym")
    if pseudonyms:
        parts.append(f"Written as keyed pseudonyms: {words.listed(pseudonyms)}.")
    for name, key in followers.items():
        parts.append(f"“{name}” says as much as “{key}” still tells of it.")
    instead = {name: said for name in told.release.kept if (said := told.instead_in(name))}
    if kept := [name for name in told.release.kept if name not in instead]:
        parts.append(f"Released as they are: {words.listed(kept)}.")
    for name, said in instead.items():
        parts.append(f"Released as it is but {said}: {name}.")
    parts.append(order_text(told))
    answer = f"{n} column{'s' if n > 1 else ''}: {words.listed(told.masked)}"
    return Fact("What was masked, and how?", answer, " ".join(parts))


def order_text(told: Reported) -> str:
    """Whether the order of the rows may tell whose they are."""
    if told.plan.shuffle:
        return (
            "The rows were shuffled: their order, in which equal rows stand together, has nothing to do "
            "with that of the original."
        )
    if told.release.source.keeps_order:
        return "The rows were not shuffled: they stand in the order of the original."
    return "The rows were not shuffled; the original has no order that a release would keep."


def _truth(told: Reported) -> list[str]:
    """Which columns are true of every person, and which only fit a group."""
    truthful = [name for name in told.masked if told.plan.is_truthful(name)]
    central = [name for name in told.masked if name not in truthful]
    if told.plan.method.own.is_truthful:
        return []
    if not truthful:
        is_fitted = told.plan.method.own.has_centroids and told.gives_k
        return ["A released value fits its group; for one person it may be wrong."] if is_fitted else []
    true = (
        "In place of that a group was given what is true of all of its people, the original or a "
        f"generalisation of it: {words.listed(truthful)}."
    )
    fitted = f"Fits its group, but for one person it may be wrong: {words.listed(central)}."
    return [true, fitted] if central else [true]


def _k_anonymous(told: Reported) -> Fact:
    unique = int((told.sizes_before == 1).sum())
    share = words.percent(100 * unique / told.n)
    groups = len(told.sizes_after)
    said = f"Every person shares the masked values with at least {told.reached - 1:,} others. "
    if told.promised:
        said = f"{told.promised[0].upper()}{told.promised[1:]}. "
    text = (
        said
        + (
            f"The smallest of {groups:,} groups of equal records has {people(told.reached)}. "
            if groups > 1
            else "All records are equal. "
        )
        + f"Before masking, {unique:,} of {told.counted(told.n)} ({share}) had a combination of values "
        "to themselves."
    )
    if told.suppressed:
        text += f" {told.counted(told.suppressed)} {'was' if told.suppressed == 1 else 'were'} suppressed."
    if told.plan.also_asked and told.gives_k:
        text += f" Every group has also what else was asked for: {words.listed(told.plan.also_asked)}."
    if told.promised:
        answer = "That was not asked for" if told.gives_k else "No, the method gives no k-anonymity"
        return Fact("Is it k-anonymous?", answer, text)
    if not told.is_k_anonymous:
        return Fact("Is it k-anonymous?", f"No, not for k = {told.k}", text)
    more = f" (asked for: {told.k})" if told.reached != told.k else ""
    return Fact("Is it k-anonymous?", f"Yes, for k = {told.reached}{more}", text)


def _risk(told: Reported) -> Fact:
    text = (
        "Somebody who knows all original values of a person in the masked columns, and nothing else, and "
        f"picks the released record closest in meaning is right for {words.percent(told.after)} of the "
        f"{told.who}; before masking for {words.percent(told.before)}. By exactly equal values: "
        f"{words.percent(float(told.figures['mrl']))}. A blind guess: {words.percent(told.blind)}."
    )
    answer = f"{words.percent(told.after)} on average"
    if told.gives_k and not told.promised:
        most = words.percent(float(told.figures["prosecutor_max"]))
        answer = f"At most {most} by the masked columns alone"
        text += (
            f" By these columns the chance is not more than {most} for anybody: the smallest group has "
            f"{people(told.reached)}."
        )
    if telling := [row for row in told.known if row.after]:
        surest = max(telling, key=lambda row: (row.after_share, not row.is_measured))
        found = words.percent(surest.after_share)
        answer += f"; {found} for sure if “{surest.column}” is known{' exactly' * surest.is_measured}, too"
        text += (
            f" Whoever knows “{surest.column}” of a person as well{', exactly,' * surest.is_measured} finds "
            f"{found} of the {told.who} for sure."
        )
    return Fact("How likely does an intruder find a person?", answer, text)


def _most_lost(told: Reported) -> Fact:
    most, others = told.by_loss[0], told.by_loss[1:]
    if most.mean_distance == 0:
        return Fact("Which column lost most meaning?", "None lost any", "All values are as they were.")
    text = (
        f"On average its values moved by {words.percent(most.mean_distance)} of the greatest possible "
        f"distance; {words.percent(most.kept_share)} of them are as they were, and "
        f"{words.percent(told.lost_share(most))} of the differences between people in it are gone."
    )
    if others:
        rest = [
            f"{c.name} {words.percent(c.mean_distance)} ({words.percent(told.lost_share(c))})" for c in others
        ]
        text += f" The others, with the differences that are gone: {words.listed(rest)}."
    return Fact("Which column lost most meaning?", f"{most.name}: {words.percent(most.mean_distance)}", text)


def _typical(told: Reported) -> Fact:
    question = "What did a typical value become?"
    share = sum(c.kept_share for c in told.columns) / len(told.columns)
    kept = f"{words.percent(share)} of all values are as they were."
    if told.mixed:
        kept += (
            f" In {words.listed([*told.mixed])} some values stayed in some rows and became wider in others: "
            "do not count single values."
        )
    if share == 100:
        return Fact(question, "All stayed as they were", kept)
    found = _typical_change(told)
    if found is not None:
        changes, (change, way) = found
        answer = f"{change.before} → {change.after}"
        because = f": {way}" if way not in ("", answer) else ""
        text = f"{kept} A typical change, in {changes.name}, of {told.counted(change.count)}{because}."
        return Fact(question, answer, text)
    for column in told.by_loss:
        if column.is_number and (move := column.typical_move()):
            half = words.number(move[0])
            return Fact(question, f"{column.name}: half moved by {half} or less", kept)
    return Fact(question, "Most stayed as they were" if share >= 50 else "Too varied to name one", kept)


def _typical_change(told: Reported) -> tuple[Changes, Example] | None:
    """The change most people went through; of equally many, rather one up the hierarchy."""
    best: tuple[int, bool, Changes, Example] | None = None
    for column in told.columns:
        for example in examples(column):
            if example.change.after == SUPPRESSED_TEXT:
                continue
            rank = example.change.count, is_upward(column, example.change)
            if best is None or rank > best[:2]:
                best = *rank, column, example
    return None if best is None or best[0] < _TYPICAL * told.n else best[2:]


def kind_in_words(told: Reported) -> str:
    """What kind of masking it is, for the headline."""
    truthful = [name for name in told.masked if told.plan.is_truthful(name)]
    central = [name for name in told.masked if name not in truthful]
    if not central:
        return "Truthful: what is released of a person is the original or a generalisation of it."
    if not told.gives_k:
        return "Perturbed: a released value is near the original one and may be wrong for one person."
    if not truthful:
        return "Perturbed: a released value is central to its group and may be wrong for one person."
    true, fitted = words.listed(truthful), words.listed(central)
    return f"Truthful: {true}. Perturbed, so that it may be wrong for one person: {fitted}."
