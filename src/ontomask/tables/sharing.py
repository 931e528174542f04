"""The rows of a release in an engine: stored tuples and what they are given are joined with the rows.

Tuples that are kept whole are joined once. The rows of a split one are ranked by their md5, and each rank
lies in one of the ranges that its groups are given. A range is looked up by a join of equal values, which
every engine does well: the ranks of a cell are cut into buckets as long as its mean range, and a range is
listed in each bucket that it touches. So a range has two lines on the average, and a rank meets two ranges.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ontomask.arrays import Bool, Int32, Int64
from ontomask.tables.order import columns_hashed
from ontomask.tables.table import SUPPRESSED, Dealing

if TYPE_CHECKING:
    import pyarrow as pa

    from ontomask.tables.engine import Counted, EngineTable


@dataclass(frozen=True, eq=False)
class Sharing:
    """What becomes of the rows of each stored tuple, as tables of the engine; None: there are none such.

    Attributes
    ----------
    dealing
        Columns, masked columns, seed and key; its arrays are not looked at.
    whole : k0, k1, ..., new0, new1, ...
        Tuples whose rows all go to one group, and what is written there; suppressed ones are left out.
    split : k0, k1, ..., cell, width
        Tuples whose rows are dealt: their cells, and the ranks in a bucket.
    ranges : of_cell, bucket, first, end, kept, new0, new1, ...
    has_null
        Per column whether a tuple has none there.
    """

    dealing: Dealing
    whole: Any
    split: Any
    ranges: Any
    has_null: Sequence[bool]


def released_relation(table: EngineTable, sharing: Sharing, names: Sequence[str]) -> Any:
    """The released table as an expression: cells kept whole are joined once, split ones dealt by md5."""
    import ibis

    dealing = sharing.dealing
    needed = list(dict.fromkeys([*names, *dealing.columns, *filter(None, [dealing.key])]))
    place = {name: f"c{at}" for at, name in enumerate(needed)}
    rows = table.rows(place)
    masked = {name: f"new{at}" for at, name in enumerate(dealing.texts)}

    def put_in(joined: Any) -> Any:
        """The released columns, masked ones with their new values, and the number of the row."""
        columns = {place[name]: joined[masked.get(name, place[name])] for name in names}
        return joined.select(**({"row": joined["row"]} if table.keeps_order else {}), **columns)

    def joined_with(small: Any) -> Any:
        """Rows with what their stored tuples are given."""
        if not dealing.columns:
            return rows.cross_join(small)
        keys = [
            table.same(table.read(rows[place[name]]), small[f"k{at}"], sharing.has_null[at])
            for at, name in enumerate(dealing.columns)
        ]
        return rows.inner_join(small, keys)

    parts = []
    if sharing.whole is not None:
        parts.append(put_in(joined_with(sharing.whole)))
    if sharing.split is not None:
        some = joined_with(sharing.split)
        order = [
            table.digest_in(some, [place[name] for name in columns], str(dealing.seed))
            for columns in columns_hashed(dealing, names)
        ]
        rank = ibis.row_number().over(group_by="cell", order_by=order)
        ranked = some.mutate(rank=rank)
        ranked = ranked.mutate(at_bucket=(ranked["rank"] // ranked.width).cast("int64"))
        ranges = sharing.ranges
        dealt = ranked.inner_join(ranges, [ranked.cell == ranges.of_cell, ranked.at_bucket == ranges.bucket])
        parts.append(
            put_in(dealt.filter(dealt["rank"] >= dealt.first, dealt["rank"] < dealt.end, dealt.kept))
        )
    release = ibis.union(*parts, distinct=False) if len(parts) > 1 else parts[0]
    if dealing.is_shuffled:
        release = release.order_by(
            table.digest_in(release, [place[name] for name in names], str(dealing.seed), with_all=True)
        )
    elif table.keeps_order:
        release = release.order_by("row")
    return release.select(**{name: release[place[name]] for name in names})


def sharing_of(table: EngineTable, dealing: Dealing) -> Sharing:
    """A dealing as tables of the engine, as long as its tuples and entries."""
    counted = table.counted(dealing.columns)
    values = _Values(table, dealing, counted)
    whole, split, ranges = lines_of(dealing, dealing.cells[counted.which], counted.stored, values.of)
    return Sharing(
        dealing,
        whole if whole is None else table.small(table.sent(whole), dealing.columns),
        split if split is None else table.small(table.sent(split), dealing.columns),
        ranges if ranges is None else table.small(table.sent(ranges)),
        [bool(column.null_count) for column in counted.stored.columns],
    )


def lines_of(
    dealing: Dealing, cells: Int32, stored: pa.Table, new: Callable[[Int32], Mapping[str, pa.Array]]
) -> tuple[pa.Table | None, pa.Table | None, pa.Table | None]:
    """The tables `whole`, `split` and `ranges` of a sharing; None: there are none such.

    `stored` are tuples as the engine has them, `cells[i]` the cell of each, and `new` is what groups are
    given, as `new0`, `new1`, ...
    """
    import pyarrow as pa

    groups, is_split = dealing.group_of_cell[cells], dealing.is_split[cells]

    def tuples(chosen: Bool, beside: Mapping[str, pa.Array]) -> pa.Table:
        some = stored.filter(pa.array(chosen))
        columns = {f"k{at}": some.column(at) for at in range(some.num_columns)}
        if not columns:
            columns["k"] = pa.array([True] * int(chosen.sum()))
        return pa.table(columns | dict(beside))

    whole = split = ranges = None
    is_whole = ~is_split & (groups != SUPPRESSED)
    if is_whole.any() or not is_split.any():
        whole = tuples(is_whole, new(groups[is_whole]))
    if is_split.any():
        found, width = ranges_of(dealing)
        cell = cells[is_split]
        split = tuples(is_split, {"cell": pa.array(cell), "width": pa.array(width[cell])})
        numbers = {"of_cell": found.cells, "bucket": found.buckets, "first": found.first, "end": found.end}
        columns = {name: pa.array(own) for name, own in numbers.items()}
        columns["kept"] = pa.array(found.groups != SUPPRESSED)
        ranges = pa.table(columns | dict(new(found.groups)))
    return whole, split, ranges


@dataclass(frozen=True, eq=False)
class Ranges:
    """Ranks from `first` to before `end` of a cell go to a group, in each bucket that they touch."""

    cells: Int32
    buckets: Int64
    first: Int64
    end: Int64
    groups: Int32


def ranges_of(dealing: Dealing) -> tuple[Ranges, Int64]:
    """The ranges of all split cells, and for each cell how many ranks a bucket of it has.

    >>> import numpy as np
    >>> one = np.zeros(1, np.int32)
    >>> groups, counts = np.array([0, 1], np.int32), np.array([5, 1])
    >>> dealing = Dealing(("a",), one, np.zeros(2, np.int32), groups, counts, {})
    >>> found, width = ranges_of(dealing)
    >>> found.buckets.tolist(), found.first.tolist(), found.end.tolist(), width.tolist()
    ([0, 1, 1], [0, 0, 5], [5, 5, 6], [3])
    """
    order = dealing.order[
        dealing.is_split[dealing.members[dealing.order]] & (dealing.counts[dealing.order] > 0)
    ]
    cells, counts, groups = dealing.members[order], dealing.counts[order], dealing.groups[order]
    rows = np.bincount(cells, counts, dealing.n_cells).astype(np.int64)
    entries = np.bincount(cells, minlength=dealing.n_cells)
    width = np.maximum(rows // np.maximum(entries, 1), 1)
    before = np.cumsum(counts) - counts
    _, first_of_cell, place = np.unique(cells, return_index=True, return_inverse=True)
    first = before - before[first_of_cell][place]
    end = first + counts
    at, last = first // width[cells], (end - 1) // width[cells]
    lines = last - at + 1
    which = np.repeat(np.arange(len(cells)), lines)
    buckets = at[which] + np.arange(len(which)) - np.repeat(np.cumsum(lines) - lines, lines)
    return Ranges(cells[which], buckets, first[which], end[which], groups[which]), width


class _Values:
    """The new values of the masked columns, in the types of the old, group by group."""

    def __init__(self, table: EngineTable, dealing: Dealing, counted: Counted) -> None:
        # Texts that no row uses may be original values: they must not travel along.
        kept = np.unique(dealing.groups[dealing.groups != SUPPRESSED])
        self._number = np.zeros(dealing.n_groups + 1, np.int64)  # the last one is of suppressed rows
        self._number[kept] = np.arange(len(kept))
        self._values = []
        for name, texts in dealing.texts.items():
            if name in dealing.columns:
                writing = counted.coded[dealing.columns.index(name)].writing
            else:
                writing = table.counted([name]).coded[0].writing
            used = [None if group == SUPPRESSED else texts[group] for group in kept.tolist()]
            self._values.append(table.new_values(name, used, writing.missing))

    def of(self, groups: Int32) -> dict[str, pa.Array]:
        """As `new0`, `new1`, ... what groups are given."""
        import pyarrow as pa

        picked = pa.array(self._number[groups])
        return {f"new{at}": values.take(picked) for at, values in enumerate(self._values)}
