"""Invented people, the recipe of their blocks, and the blocks masked one after the other in this process."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pyarrow as pa

import ontomask as om
from ontomask.blocks.cutting import Rules, rules_of
from ontomask.blocks.masking import MaskedBlock, Recipe, lacks_something, masked_block
from ontomask.blocks.spark import draws
from ontomask.pipeline import prepare
from ontomask.tables import open_table


def people(n: int, seed: int = 0) -> pa.Table:
    """Jobs and illnesses, some in two spellings; ages, some missing; places; and a number for each row."""
    rng = np.random.default_rng(seed)
    jobs = ["nurse", "Nurse", "doctor", "farmer", "fisherman", "teacher", "baker", None]
    return pa.table(
        {
            "job": rng.choice(np.array(jobs, object), n).tolist(),
            "age": pa.array(rng.integers(18, 60, n), pa.int32(), mask=rng.random(n) < 0.02),
            "place": rng.integers(1, 9, n),
            "ill": rng.choice(["flu", "Flu", "cold", "burn"], n),
            "row": np.arange(n),
        }
    )


def plan_of(**changes: object) -> om.Plan:
    """k = 3 with two illnesses in each class."""
    plan = om.Plan.from_options(
        ["job:wordnet", "age:numeric", "place:numeric"], confidential=["ill"], others="keep", seed=7
    )
    return plan.replace(**{"privacy": {"k": 3, "l": {"ill": 2}}, **changes})


class Stored:
    """A table in memory as blocks see it: its tuples as texts, and their counts."""

    def __init__(self, table: pa.Table, plan: om.Plan) -> None:
        prepared = prepare(table, plan)
        opened = open_table(table, plan.table_options())
        found = opened.tuples(prepared.counted)
        self.texts = pa.table(
            {
                f"k{at}": pa.array(values, pa.string()).take(pa.array(found.codes[:, at]))
                for at, values in enumerate(found.values)
            }
        )
        self.counts = found.counts
        distinct = opened.distinct_of(prepared.counted)
        self.recipe = Recipe.of(plan, distinct, opened.options, prepared.columns, prepared.further)
        self.places = self.recipe.places(self.texts)

    def rules(self, size: int) -> Rules:
        """Rules for blocks of about so many tuples, each of which can be masked alone."""
        seen = self.recipe.seen(self.places)
        order = np.lexsort((*seen.T[::-1], draws(seen, self.recipe.plan.seed)))
        ordered = seen[order]
        sample = ordered[np.append(True, (np.diff(ordered, axis=0) != 0).any(axis=1))]
        attributes = [column.attribute for column in self.recipe.columns]
        rules = rules_of(attributes, sample, size, np.random.default_rng(self.recipe.plan.seed))
        while rules.n_blocks > 1:
            blocks = rules.blocks(seen)
            lacking = [
                block
                for block in range(rules.n_blocks)
                if lacks_something(self.recipe, self.places[blocks == block], self.counts[blocks == block])
            ]
            if not lacking:
                break
            rules = rules.joined(lacking)
        return rules

    def masked(self, rules: Rules, seed: int = 0) -> Iterator[MaskedBlock]:
        """The blocks one by one, the tuples of each in an order drawn from a seed."""
        blocks = rules.blocks(self.recipe.seen(self.places))
        for block in range(rules.n_blocks):
            some = np.random.default_rng(seed).permutation(np.flatnonzero(blocks == block))
            stored = self.texts.take(pa.array(some))
            yield masked_block(self.recipe, block, stored, self.places[some], self.counts[some])
