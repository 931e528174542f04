"""One block of a table: its stored tuples become codes, are masked, and go back as lines of a sharing.

Plain functions over arrays and Arrow tables, the same wherever they run: in this process, or in that of an
engine, to which a `Recipe` travels. What a block says of itself (`Told`) adds up over blocks.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from ontomask.arrays import Int32, Int64, distinct_rows
from ontomask.attributes import Tuples
from ontomask.columns import Column, tuples_of
from ontomask.columns.further import FurtherColumn
from ontomask.errors import TableError
from ontomask.evaluation import classes_of_original
from ontomask.evaluation.changes import Changes, changes_of
from ontomask.evaluation.loss import LossSums, loss_sums, to_centre
from ontomask.evaluation.parts import Judged
from ontomask.masking import complete_tuples, masked_tuples, texts_of, view_of
from ontomask.methods import SUPPRESSED, Masking
from ontomask.methods.repair import classes_of
from ontomask.plan import Plan
from ontomask.privacy import Classes, Requirement, violating
from ontomask.tables import Dealing, Distinct, TableOptions
from ontomask.tables.arrow import raw_column
from ontomask.tables.coded import is_missing_text
from ontomask.tables.sharing import lines_of

if TYPE_CHECKING:
    import pyarrow as pa

    from ontomask.arrays import Float64

_CELLS = 1 << 32  # of a block at most: cells are numbered over all blocks


@dataclass(frozen=True, eq=False)
class Recipe:
    """What every block has to know.

    Attributes
    ----------
    names, texts, na_values
        The counted columns (quasi-identifiers, then what requirements need), the distinct texts of each, as
        the columns were read from them, and what means no value there.
    columns, further
        These columns as codes.
    centre
        Per quasi-identifier how far each code is from what is central to the whole table.
    """

    plan: Plan
    names: tuple[str, ...]
    texts: tuple[tuple[str | None, ...], ...]
    na_values: tuple[tuple[str, ...], ...]
    columns: tuple[Column, ...]
    further: tuple[FurtherColumn, ...]
    centre: tuple[Float64, ...]

    @classmethod
    def of(
        cls,
        plan: Plan,
        distinct: Mapping[str, Distinct],
        options: TableOptions,
        columns: Sequence[Column],
        further: Sequence[FurtherColumn],
    ) -> Recipe:
        """From the distinct texts of each counted column and how many rows have them."""
        by, centre = plan.make_measure(), []
        for column in columns:
            attribute = replace(column.attribute.under(by), weight=1.0)
            rows = np.bincount(column.code_of_text, distinct[column.name][1], attribute.size)
            centre.append(to_centre(attribute, rows.astype(np.int64)))
        texts = tuple(tuple(found) for found, _ in distinct.values())
        na_values = tuple(options.na_values_of(name) for name in distinct)
        return cls(plan, (*distinct,), texts, na_values, (*columns,), (*further,), (*centre,))

    @cached_property
    def _place_of(self) -> list[dict[str | None, int]]:
        return [{text: at for at, text in enumerate(texts)} for texts in self.texts]

    @cached_property
    def _further_codes(self) -> list[Int64]:
        return [column.codes(self.texts[at]) for at, column in enumerate(self.further, len(self.columns))]

    def places(self, stored: pa.Table) -> Int32:
        """Stored tuples as places among the distinct texts of each column, [p, columns]."""
        found = np.empty((stored.num_rows, len(self.names)), np.int32)
        for at, (name, place_of) in enumerate(zip(self.names, self._place_of, strict=True)):
            raw = raw_column(name, stored.column(at))
            texts = [None if is_missing_text(text, self.na_values[at]) else text for text in raw.texts]
            try:
                found[:, at] = np.array([place_of[text] for text in texts], np.int32)[raw.codes]
            except KeyError:
                raise TableError(
                    "has a value that it had not before: the table was changed since it was read",
                    column=name,
                    remedy="start again",
                ) from None
        return found

    def seen(self, places: Int32) -> Int32:
        """The quasi-identifiers of tuples as codes that methods see, [p, m]."""
        return np.stack(
            [c.codes_seen(c.code_of_text[places[:, j]]) for j, c in enumerate(self.columns)], axis=1
        )

    def tuples(self, places: Int32, counts: Int64) -> tuple[Tuples, Int32]:
        """The distinct tuples of codes, and the cell of each that was given."""
        codes = places.copy()
        for at, codes_of_text in enumerate(self._further_codes, len(self.columns)):
            codes[:, at] = codes_of_text[places[:, at]]
        return tuples_of(self.columns, codes, counts, [column.domain for column in self.further])


@dataclass(frozen=True)
class Told:
    """What a block, or several, say of what was done to them."""

    suppressed: int
    blanked: int
    before: Judged
    losses: LossSums
    changes: Changes

    def plus(self, other: Told, requirements: Sequence[Requirement]) -> Told:
        """Of two together; no class of the original is in both."""
        return Told(
            self.suppressed + other.suppressed,
            self.blanked + other.blanked,
            Judged.together([self.before, other.before], requirements),
            self.losses.plus(other.losses),
            self.changes.plus(other.changes),
        )


@dataclass(frozen=True, eq=False)
class MaskedBlock:
    """What becomes of the stored tuples of a block.

    `whole`, `split` and `ranges` are as in `tables.sharing`, with texts in the place of values; `tally` has
    how many rows (`n`) have what is written (`new0`, `new1`, ...) beside the codes of further columns (`f0`,
    `f1`, ...).
    """

    whole: pa.Table | None
    split: pa.Table | None
    ranges: pa.Table | None
    tally: pa.Table
    told: Told


def lacks_something(recipe: Recipe, places: Int32, counts: Int64) -> bool:
    """Whether a block cannot be masked alone: as one class it would violate what is asked."""
    tuples, _ = recipe.tuples(places, counts)
    kept = tuples.take(complete_tuples(recipe.columns, tuples, recipe.plan))
    if not len(kept):
        return True
    asked = [one for one in recipe.plan.asked() if one.is_monotone]
    one_class = classes_of(kept, np.zeros(len(kept.cell_counts), np.int64), kept.cell_counts)
    return bool(violating(asked, one_class).any()) or kept.n < recipe.plan.least_size


def masked_block(
    recipe: Recipe, block: int, stored: pa.Table, places: Int32, counts: Int64, cores: int | None = 1
) -> MaskedBlock:
    """Mask a block: `counts[i]` rows have stored tuple i, whose texts are at `places[i]`.

    The tuples may come in any order: what is drawn depends on the seed and the block alone.
    """
    plan = recipe.plan
    tuples, cell_of_stored = recipe.tuples(places, counts)
    rng = np.random.default_rng([plan.seed, block])
    masking = masked_tuples(recipe.columns, tuples, plan, rng, cores=cores)
    texts = texts_of(recipe.columns, masking)
    dealing = Dealing(
        columns=recipe.names,
        cells=cell_of_stored,
        members=masking.cells,
        groups=masking.groups,
        counts=masking.counts,
        texts={column.name: own for column, own in zip(recipe.columns, texts, strict=True)},
        seed=plan.seed,
    )
    written = _Texts(texts)
    whole, split, ranges = lines_of(dealing, cell_of_stored, stored, written.of)
    view = view_of(tuples, masking, plan)
    before = Judged.of(
        classes_of_original(tuples, [column.attribute for column in recipe.columns]), plan.requirements()
    )
    return MaskedBlock(
        whole,
        _numbered(split, "cell", block),
        _numbered(ranges, "of_cell", block),
        _tally(tuples, masking, written),
        Told(
            view.pairs.n_suppressed,
            view.n_blanked,
            before,
            loss_sums(view, recipe.centre),
            changes_of(view, plan.method.own.blank),
        ),
    )


class _Texts:
    """What groups are given, as texts."""

    def __init__(self, texts: Sequence[Sequence[str | None]]) -> None:
        import pyarrow as pa

        # The last one is of suppressed rows.
        self._texts = [pa.array([*own, None], pa.string()) for own in texts]

    def of(self, groups: Int32) -> dict[str, pa.Array]:
        """As `new0`, `new1`, ..."""
        import pyarrow as pa

        picked = pa.array(np.where(groups == SUPPRESSED, len(self._texts[0]) - 1, groups))
        return {f"new{at}": own.take(picked) for at, own in enumerate(self._texts)}


def _numbered(lines: pa.Table | None, name: str, block: int) -> pa.Table | None:
    """Lines with cells that no other block has."""
    import pyarrow as pa

    if lines is None:
        return None
    cells = lines.column(name).to_numpy().astype(np.int64) + block * _CELLS
    return lines.set_column(lines.schema.get_field_index(name), name, pa.array(cells))


def _tally(tuples: Tuples, masking: Masking, written: _Texts) -> pa.Table:
    """How many rows have what is written, beside the codes of further columns."""
    import pyarrow as pa

    kept = masking.groups != SUPPRESSED
    groups, counts = masking.groups[kept], masking.counts[kept]
    values = np.zeros((len(groups), 0), np.int32)
    if tuples.cells is not None:
        values = tuples.cells.values[masking.cells[kept]]
    first, which = distinct_rows([groups, *values.T])
    n = np.bincount(which, counts, len(first)).astype(np.int64)
    columns = written.of(groups[first])
    columns |= {f"f{b}": pa.array(values[first, b]) for b in range(values.shape[1])}
    return pa.table(columns | {"n": pa.array(n)})


def classes_of_tally(tally: pa.Table, further: Sequence[FurtherColumn]) -> Classes:
    """The classes of what is written: lines that are equal in `new0`, `new1`, ..."""
    import pyarrow as pa

    written = [tally.column(at) for at, name in enumerate(tally.column_names) if name.startswith("new")]
    codes = [
        column.combine_chunks().dictionary_encode(null_encoding="encode").indices.to_numpy()
        if pa.types.is_string(column.type) or pa.types.is_large_string(column.type)
        else column.to_numpy()
        for column in written
    ]
    first, which = distinct_rows(codes)
    values = [tally.column(f"f{b}").to_numpy() for b in range(len(further))]
    beside = np.stack(values, axis=1) if values else np.zeros((len(which), 0), np.int32)
    found = Classes.of(which, beside, tally.column("n").to_numpy(), [column.domain for column in further])
    return replace(found, values=np.stack([own[first] for own in codes], axis=1).astype(np.int32))


def texts_as_tally(
    lines: pa.Table,
    names: Sequence[str],
    na_values: Sequence[tuple[str, ...]],
    further: Sequence[FurtherColumn],
) -> pa.Table:
    """A tally from stored values: of the masked columns of a table that was written, then of further ones."""
    import pyarrow as pa

    columns, m = {}, len(names) - len(further)
    for at, name in enumerate(names):
        raw = raw_column(name, lines.column(at))
        texts = [None if is_missing_text(text, na_values[at]) else text for text in raw.texts]
        if at < m:
            columns[f"new{at}"] = pa.array(texts, pa.string()).take(pa.array(raw.codes))
        else:
            columns[f"f{at - m}"] = pa.array(further[at - m].codes(texts)[raw.codes])
    return pa.table(columns | {"n": lines.column("n")})
