"""Blocks as tasks of Spark: no array as long as the tuples, the entries or the classes comes to this process.

Spark counts the tuples, a sample of them comes here and gives the rules of cutting, each block is masked in a
task, and what became of its tuples stays with Spark as the tables of a `Sharing`, to be joined with the rows.
A block that is masked again, because the machine that did it is gone, is the same again.
"""

from __future__ import annotations

import pickle
import weakref
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property, reduce
from typing import TYPE_CHECKING, Any

import numpy as np

from ontomask.arrays import Int32, Int64
from ontomask.blocks.cutting import Rules, rules_of
from ontomask.blocks.masking import (
    MaskedBlock,
    Recipe,
    Told,
    classes_of_tally,
    lacks_something,
    masked_block,
    texts_as_tally,
)
from ontomask.columns.further import FurtherColumn
from ontomask.errors import NothingLeftError, OntomaskError
from ontomask.evaluation.parts import Judged
from ontomask.masking import check_read_back
from ontomask.tables import Dealing, ReleasedTable, Table
from ontomask.tables.sharing import Sharing
from ontomask.tables.spark import SparkTable, table_of
from ontomask.verification import as_counted, check_requirements, does_not_hold

if TYPE_CHECKING:
    import pyarrow as pa

BLOCK = 1 << 15
"""Distinct tuples of a block, about."""
SAMPLE = 1 << 16
"""Distinct tuples that the rules of cutting are found on, at most."""
_LEAF = 16  # tuples of the sample for a block at least: fewer would tell little of its size
_PARTITIONS = 2  # for each block, so that few of them have several
_LINES_OF_PARTITION = 1 << 18  # where classes are judged


@dataclass(frozen=True, eq=False)
class Shared:
    """What became of a table: who is given what, what blocks say of themselves, and the classes there are.

    `texts` are all that is written in each masked column.
    """

    sharing: Sharing
    told: Told
    after: Judged
    texts: Sequence[Sequence[str | None]]
    n_blocks: int


class SparkBlocks:
    """The tuples of a table in Spark, on their way through the blocks."""

    def __init__(self, table: SparkTable, recipe: Recipe) -> None:
        self.table, self.recipe, self.session = table, recipe, table.session
        self.keys = [f"k{at}" for at in range(len(recipe.names))]
        self.places = [f"x{at}" for at in range(len(recipe.names))]
        self.new = [f"new{at}" for at in range(len(recipe.columns))]
        self.beside = [f"f{at}" for at in range(len(recipe.further))]
        self._kept: list[Any] = []
        weakref.finalize(self, _forgotten, self._kept).atexit = False  # Spark ends before

    @classmethod
    def of(cls, table: Table, recipe: Recipe) -> SparkBlocks:
        """Of a table that Spark has; any other is refused."""
        if not isinstance(table, SparkTable):
            raise OntomaskError(
                "blocks are masked by Spark, and the table is not there",
                key="method.blocks",
                remedy="write `engine: spark` in the plan's section table, or remove blocks",
            )
        return cls(table, recipe)

    # ------------------------------------------------------------------ frames

    def kept(self, frame: Any) -> Any:
        """A data frame that is computed once: what is read twice must be the same twice."""
        from pyspark import StorageLevel

        self._kept.append(frame.persist(StorageLevel.DISK_ONLY))
        return frame

    @cached_property
    def shipped(self) -> Any:
        """The recipe, on every machine of the cluster: once, so that what is found out of it stays known."""
        return self.session.sparkContext.broadcast(self.recipe)

    @cached_property
    def counted(self) -> Any:
        """The stored tuples, k0, k1, ..., and how many rows have each, n."""
        return self.kept(
            self.table.frame(_counted(self.table, self.table.relation, self.recipe.names, self.keys))
        )

    # ------------------------------------------------------------------ cutting

    def rules(self) -> Rules:
        """Rules that cut the tuples into blocks, each of which can be masked alone."""
        seen = self.kept(self._seen())
        p, columns = seen.count(), seen.columns[1:]
        sample = self.table.sent(seen.orderBy("draw", *columns).limit(SAMPLE).select(*columns).toArrow())
        seen.unpersist()
        codes = np.stack([column.to_numpy() for column in sample.columns], axis=1).astype(np.int32)
        leaf = max(-(-BLOCK * len(codes) // p), _LEAF)
        attributes = [column.attribute for column in self.recipe.columns]
        rules = rules_of(attributes, codes, leaf, np.random.default_rng(self.recipe.plan.seed))
        while rules.n_blocks > 1 and (lacking := self.lacking(rules)):
            rules = rules.joined(lacking)
        return rules

    def _seen(self) -> Any:
        """Distinct tuples as methods see them, with a number for each that says who is in the sample."""
        recipe, keys, m = self.shipped, self.keys, len(self.recipe.columns)
        seed = self.recipe.plan.seed

        def seen(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
            import pyarrow as pa

            for batch in batches:
                codes = recipe.value.seen(recipe.value.places(pa.table(batch).select(keys)))
                columns = {"draw": draws(codes, seed)} | {f"q{j}": codes[:, j] for j in range(m)}
                yield pa.record_batch(columns)

        schema = ", ".join(["draw long", *(f"q{j} int" for j in range(m))])
        return self.counted.mapInArrow(seen, schema).distinct()

    def in_blocks(self, rules: Rules) -> Any:
        """The stored tuples with the places of their texts, and their blocks; a block is in one partition."""
        recipe, keys, names = self.shipped, self.keys, self.places
        cuts = self.session.sparkContext.broadcast(rules)

        def placed(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
            import pyarrow as pa

            for batch in batches:
                places = recipe.value.places(pa.table(batch).select(keys))
                block = cuts.value.blocks(recipe.value.seen(places))
                columns = {name: places[:, at] for at, name in enumerate(names)}
                found = pa.record_batch(columns | {"block": block})
                yield pa.record_batch(
                    [*batch.columns, *found.columns], [*batch.schema.names, *found.schema.names]
                )

        schema = _schema(self.counted, self.keys, "n long", *(f"{name} int" for name in names), "block int")
        placed_tuples = self.counted.mapInArrow(placed, schema)
        return placed_tuples.repartition(_PARTITIONS * rules.n_blocks, "block").groupBy("block")

    def lacking(self, rules: Rules) -> list[int]:
        """The blocks that cannot be masked alone."""
        recipe, names = self.shipped, self.places

        def judge(key: Any, tuples: pa.Table) -> pa.Table:
            import pyarrow as pa

            lacks = lacks_something(recipe.value, _integers(tuples, names), tuples["n"].to_numpy())
            return pa.table({"block": pa.array([key[0].as_py()], pa.int32()), "lacks": [lacks]})

        judged = self.in_blocks(rules).applyInArrow(judge, "block int, lacks boolean")
        return sorted(row.block for row in judged.filter("lacks").collect())

    # ------------------------------------------------------------------ masking

    def masked(self, rules: Rules) -> Any:
        """The lines of all blocks: the parts of a sharing, a tally, and what each says of itself."""
        recipe, keys, names = self.shipped, self.keys, self.places
        schema = _schema(
            self.counted,
            keys,
            *("part string", "block int", "cell long", "width long", "of_cell long", "bucket long"),
            *("first long", "end long", "kept boolean"),
            *(f"{name} string" for name in self.new),
            *(f"{name} int" for name in self.beside),
            *("n long", "told binary"),
        )
        as_arrow = _arrow_schema(schema)

        def mask(key: Any, tuples: pa.Table) -> pa.Table:
            block = key[0].as_py()
            stored, places = tuples.select(keys), _integers(tuples, names)
            try:
                made = masked_block(recipe.value, block, stored, places, tuples["n"].to_numpy())
            except OntomaskError as error:
                return _line("fault", block, pickle.dumps((type(error), error.faults)), as_arrow)
            return _lines(made, block, as_arrow)

        return self.kept(self.in_blocks(rules).applyInArrow(mask, schema))

    def shared(self) -> Shared:
        """Mask every block; what a block found wrong is raised here."""
        with self.table.connected():
            return self._shared()

    def _shared(self) -> Shared:
        rules = self.rules()
        masked = self.masked(rules)
        parts = {row.part: row["count"] for row in masked.groupBy("part").count().collect()}
        if "fault" in parts:
            first = masked.filter("part = 'fault'").orderBy("block").first()
            kind, faults = pickle.loads(first.told)
            raise kind(*faults)
        rows = masked.filter("part = 'told'").orderBy("block").select("told").collect()
        requirements = self.recipe.plan.requirements()
        told = reduce(lambda a, b: a.plus(b, requirements), [pickle.loads(row.told) for row in rows])
        if told.losses.records == told.suppressed:
            raise NothingLeftError(
                f"no tuple occurs {self.recipe.plan.least_size} times, so suppression leaves no row",
                key="method.name",
                remedy="use another method",
            )
        tally = masked.filter("part = 'tally'").select(*self.new, *self.beside, "n")
        texts = self.texts_in(tally)
        after = self.judged(tally, parts["tally"], self.recipe.further, _as_it_is)
        return Shared(self.sharing(masked, parts, texts), told, after, texts, rules.n_blocks)

    def texts_in(self, tally: Any) -> list[list[str | None]]:
        """All that is written in each masked column, missing last."""
        from pyspark.sql import functions as of

        sets = [of.collect_set(name).alias(name) for name in self.new]
        nulls = [of.max(of.col(name).isNull()).alias(f"{name}_null") for name in self.new]
        found, texts = tally.agg(*sets, *nulls).first(), []
        for name, column in zip(self.new, self.recipe.columns, strict=True):
            texts.append(sorted(found[name]) + [None] * found[f"{name}_null"])
            check_read_back(column.name, texts[-1], self.table.options.na_values_of(column.name))
        return texts

    # ------------------------------------------------------------------ back to rows

    def released(self, shared: Shared, drop: Sequence[str]) -> ReleasedTable:
        """The rows with what they are given."""
        return self.table.shared(shared.sharing, shared.told.losses.records - shared.told.suppressed, drop)

    def sharing(
        self, masked: Any, parts: Mapping[str, int], texts: Sequence[Sequence[str | None]]
    ) -> Sharing:
        """The tables of all blocks that are joined with the rows; new values in the types of the old."""
        from pyspark.sql import functions as of

        values = []
        for column, own in zip(self.recipe.columns, texts, strict=True):
            missing = self.table.counted([column.name]).coded[0].writing.missing
            values.append(self.table.new_values(column.name, own, missing))

        def part(name: str, columns: Sequence[str], with_new: bool = True) -> Any:
            if name not in parts:
                return None
            lines = masked.filter(f"part = '{name}'")
            chosen = self.typed(lines, columns, texts, values) if with_new else lines.select(*columns)
            return table_of(self.table.backend, chosen)

        is_null = [of.max(of.col(key).isNull()).alias(key) for key in self.keys]
        nulls = self.counted.agg(*is_null).first()
        nothing = np.zeros(0, np.int32)
        plan = self.recipe.plan
        return Sharing(
            Dealing(
                columns=self.recipe.names,
                cells=nothing,
                members=nothing,
                groups=nothing,
                counts=np.zeros(0, np.int64),
                texts={column.name: () for column in self.recipe.columns},
                seed=plan.seed,
                is_shuffled=bool(plan.shuffle),
            ),
            whole=part("whole", self.keys),
            split=part("split", [*self.keys, "cell", "width"], with_new=False),
            ranges=part("ranges", ["of_cell", "bucket", "first", "end", "kept"]),
            has_null=[bool(nulls[key]) for key in self.keys],
        )

    def typed(
        self,
        lines: Any,
        columns: Sequence[str],
        texts: Sequence[Sequence[str | None]],
        values: Sequence[pa.Array],
    ) -> Any:
        """Some columns of lines, and beside them new values in the place of their texts."""
        kinds = [f"{name} {_kind(own.type)}" for name, own in zip(self.new, values, strict=True)]
        schema, new = _schema(lines, columns, *kinds), self.new
        as_arrow = _arrow_schema(schema)
        written = self.session.sparkContext.broadcast([*zip(new, texts, values, strict=True)])

        def retyped(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
            import pyarrow as pa
            import pyarrow.compute as pc

            for batch in batches:
                found = {name: batch.column(name) for name in columns}
                for name, of_column, own in written.value:
                    place = pc.index_in(batch.column(name), value_set=pa.array(of_column, pa.string()))
                    found[name] = own.take(place)
                yield pa.record_batch(found).cast(as_arrow)

        return lines.mapInArrow(retyped, schema)

    # ------------------------------------------------------------------ judging

    def check(self, written: Table) -> None:
        """Raise unless what was written satisfies every requirement; classes are counted where it lies."""
        columns, further = self.recipe.columns, self.recipe.further
        masked = [column.name for column in columns]
        there = [one for one in further if one.name in written.names]
        if not isinstance(written, SparkTable):
            check_requirements(self.recipe.plan.requirements(), written, masked, further)
            return
        names, places = [*masked, *(one.name for one in there)], [*self.new, *self.beside[: len(there)]]
        na_values = [written.options.na_values_of(name) for name in names]
        tally = written.frame(_counted(written, written.relation, names, places))

        def read(lines: pa.Table) -> pa.Table:
            return texts_as_tally(lines, names, na_values, there)

        with written.connected():
            self.judged(tally, written.n_rows, there, read)

    def judged(
        self, tally: Any, length: int, further: Sequence[FurtherColumn], read: Callable[[pa.Table], pa.Table]
    ) -> Judged:
        """The classes of a tally of at most that length, which has them as new0, new1, ...; `read` makes its
        lines. Raises unless they satisfy every requirement.
        """
        requirements = self.recipe.plan.requirements()
        asked = [as_counted(one, further) for one in requirements]
        known = self.session.sparkContext.broadcast((tuple(further), asked))

        def judge(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
            import pyarrow as pa

            if lines := [batch for batch in batches if batch.num_rows]:
                further, asked = known.value
                classes = classes_of_tally(read(pa.Table.from_batches(lines)), further)
                yield pa.record_batch({"told": [pickle.dumps(Judged.of(classes, asked))]})

        parts = (
            tally.repartition(1 + length // _LINES_OF_PARTITION, *self.new)
            .mapInArrow(judge, "told binary")
            .collect()
        )
        found = Judged.together([pickle.loads(part.told) for part in parts], asked)
        for at, one in enumerate(requirements):
            if found.violating[at]:
                raise does_not_hold(one, found.violating[at], int(found.sizes.times.sum()), found.reached[at])
        return found


def _forgotten(frames: Sequence[Any]) -> None:
    """Take away what was kept of data frames, when nobody asks for it any more."""
    from py4j.protocol import Py4JError

    for frame in frames:
        with suppress(Py4JError, OSError):  # where the session has ended, so have they
            frame.unpersist()


def _as_it_is(lines: pa.Table) -> pa.Table:
    return lines


def draws(codes: Int32, seed: int) -> Int64:
    """A number for each tuple that follows from its codes and the seed: the mix of SplitMix64.

    >>> draws(np.array([[1, 2], [2, 1], [1, 2]], np.int32), 0).tolist()[0::2]
    [-4838594755968170389, -4838594755968170389]
    """
    found = np.full(len(codes), seed, np.uint64)
    for column in codes.T.astype(np.uint64):
        found += np.uint64(0x9E3779B97F4A7C15) + column
        found = (found ^ (found >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        found = (found ^ (found >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        found ^= found >> np.uint64(31)
    return found.view(np.int64)


def _counted(table: SparkTable, relation: Any, names: Sequence[str], places: Sequence[str]) -> Any:
    """The distinct tuples of some columns under other names, with counts, n."""
    chosen = relation.select(
        **{at: table.read(relation[name]) for at, name in zip(places, names, strict=True)}
    )
    return chosen.group_by(list(places)).agg(n=chosen.count())


def _integers(tuples: pa.Table, names: Sequence[str]) -> Int32:
    return np.stack([tuples[name].to_numpy() for name in names], axis=1).astype(np.int32)


def _schema(frame: Any, kept: Sequence[str], *more: str) -> Any:
    """Some columns of a data frame as they are, and more, each as `name type`."""
    from pyspark.sql.types import StructType

    added: Any = StructType.fromDDL(", ".join(more))
    return StructType([*(frame.schema[name] for name in kept), *added.fields])


def _arrow_schema(schema: Any) -> pa.Schema:
    from pyspark.sql.pandas.types import to_arrow_schema

    return to_arrow_schema(schema)


def _kind(kind: pa.DataType) -> str:
    """What Spark calls a type of Arrow."""
    from pyspark.sql.pandas.types import from_arrow_type

    return str(from_arrow_type(kind, prefer_timestamp_ntz=True).simpleString())


def _lines(made: MaskedBlock, block: int, schema: pa.Schema) -> pa.Table:
    """All that a block has to say, in one table."""
    import pyarrow as pa

    parts = {"whole": made.whole, "split": made.split, "ranges": made.ranges, "tally": made.tally}
    lines = [_filled(name, block, lines, schema) for name, lines in parts.items() if lines is not None]
    return pa.concat_tables([*lines, _line("told", block, pickle.dumps(made.told), schema)])


def _line(part: str, block: int, told: bytes, schema: pa.Schema) -> pa.Table:
    """One line with what is for this process alone."""
    import pyarrow as pa

    return _filled(part, block, pa.table({"told": pa.array([told], pa.binary())}), schema)


def _filled(part: str, block: int, lines: pa.Table, schema: pa.Schema) -> pa.Table:
    """The lines of a part with all columns of the schema; what they have not is null."""
    import pyarrow as pa

    n, there = lines.num_rows, {name: lines.column(name) for name in lines.column_names}
    there |= {"part": pa.array([part] * n, pa.string()), "block": pa.array([block] * n, pa.int32())}
    columns = [there[one.name] if one.name in there else pa.nulls(n, one.type) for one in schema]
    return pa.table(columns, names=schema.names).cast(schema)
