"""Spark, for what one machine cannot hold: a cluster counts tuples, deals rows, writes and counts again.

It reads Parquet files that every machine of the cluster sees under the same path, and text on one machine.
Rows have no order there. What comes to this process are the distinct tuples; what goes to the cluster is what
becomes of them.
"""

from __future__ import annotations

import atexit
import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import cache
from itertools import count
from pathlib import Path
from shutil import rmtree
from tempfile import TemporaryDirectory, mkdtemp
from typing import TYPE_CHECKING, Any

from ontomask.errors import TableError, said_by
from ontomask.machine import cores, memory
from ontomask.signals import handlers_kept
from ontomask.tables.arrow import compression_of, texts_of
from ontomask.tables.engine import EngineTable
from ontomask.tables.expressions import function
from ontomask.tables.filed import Files, FileTable, header_of, names_in_parquet
from ontomask.tables.memory import options_of_written
from ontomask.tables.options import TableOptions, checked_names
from ontomask.tables.register import TEXT, known_suffix

if TYPE_CHECKING:
    import pyarrow as pa

_LEAST_MEMORY, _MOST_MEMORY = 1 << 30, 4 << 30
_SMALL = 64 << 20
"""Bytes of a table that every task is given whole, so that rows need not be sorted to be joined with it."""
_SETTINGS = {
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.sql.session.timeZone": "UTC",
    "spark.sql.caseSensitive": "true",
    "spark.sql.execution.arrow.pyspark.enabled": "true",
}
_LOGGING = Path(__file__).with_name("spark-log4j2.properties")
_TEXT_OF = "ontomask_text_of"
_names = count(1)


class SparkTable(EngineTable):
    """A table of Spark, of whoever's session."""

    @property
    def session(self) -> Any:
        """The session that it is in."""
        return self.backend._session

    @contextmanager
    def connected(self) -> Iterator[None]:
        """What Spark finds wrong is told."""
        with telling(self.label):
            yield

    def frame(self, relation: Any) -> Any:
        """A relation as a data frame of Spark, of which nothing is computed yet."""
        return self.session.sql(self.backend.compile(relation))

    def fetched(self, relation: Any) -> pa.Table:
        """A relation that is not long, in memory."""
        with telling(self.label):
            return self.frame(relation).toArrow()

    def batches(self, relation: Any) -> pa.RecordBatchReader:
        """A relation of any length, some rows at a time, by way of a temporary folder."""
        import pyarrow as pa

        frame = self.frame(relation)
        schema = frame.limit(0).toArrow().schema
        return pa.RecordBatchReader.from_batches(schema, _kept_meanwhile(frame, schema, self.label))

    def small(self, table: pa.Table, columns: Sequence[str] = ()) -> Any:
        """A table as long as the distinct tuples; tuples of `columns` are in their own types."""
        from pyspark.sql.functions import broadcast
        from pyspark.sql.pandas.types import from_arrow_schema
        from pyspark.sql.types import StructField, StructType

        own = {f"k{at}": self.read(self.relation[name]) for at, name in enumerate(columns)}
        of_keys = self.frame(self.relation.select(**own)).schema.fields if own else []
        others = from_arrow_schema(table.drop_columns([*own]).schema, prefer_timestamp_ntz=True).fields
        schema = StructType([StructField(one.name, one.dataType) for one in (*of_keys, *others)])
        with telling(self.label):
            frame = self.session.createDataFrame(table, schema=schema)
        return table_of(self.backend, broadcast(frame) if table.nbytes < _SMALL else frame)

    def text_of(self, column: Any) -> Any:
        """How a value reads as text; what Java prints in another way is asked of Python."""
        kind = column.type()
        if not (kind.is_floating() or (kind.is_timestamp() and kind.timezone)):
            return super().text_of(column)
        _register_texts(self.session)
        return function(_TEXT_OF, "string", str(kind))(column)

    def number_of(self, digits: Any) -> Any:
        """Eight hexadecimal digits as a number."""
        return function("conv", "string", "string", "int8", "int8")(digits, 16, 10).cast("int64")


class _GivenFrame(SparkTable):
    """A data frame of Spark, which is given back as one."""

    def given_back(self, relation: Any) -> Any:
        return self.frame(relation)


class SparkFiles(FileTable, SparkTable):
    """Files that Spark reads."""

    @contextmanager
    def telling(self) -> Iterator[None]:
        """What Spark finds wrong with a value when it comes to it."""
        with telling(self.label):
            yield

    def writes_folder(self, path: Path) -> bool:
        """Spark writes folders of Parquet files, whatever it read."""
        return not path.suffix

    def write(self, relation: Any, path: Path, suffix: str, is_ordered: bool) -> TableOptions:
        """Write a folder of Parquet files by all tasks at once; a single file goes through this process."""
        if suffix:
            return super().write(relation, path, suffix, is_ordered)
        compression = compression_of(self.files.files[0])
        with telling(str(path)):
            write_folder(self.frame(relation), path, compression)
        return replace(options_of_written(self.options, suffix), engine="spark")


def open_file(path: Path, options: TableOptions) -> SparkFiles:
    """A Parquet file, a folder or pattern of them, or a file of delimited text."""
    files = Files.of(path)
    if not files.are_parquet and path.suffix.lower() not in TEXT:
        known_suffix(path, "read")
        raise TableError("Spark does not read such a file", file=str(path), remedy="use engine: auto")
    session = session_of(options.master)
    with telling(str(path)):
        if files.are_parquet:
            checked_names(names_in_parquet(files.files[0]), str(path))
            reader = session.read
            if files.by_folder:
                reader = reader.option("basePath", _uri(Path(os.path.commonpath(files.files))))
            frame = reader.parquet(*map(_uri, files.files))
        else:
            frame = _read_text(session, path, options)
        return SparkFiles(table_of(backend_of(session), frame), options, files)


def open_object(source: Any, options: TableOptions) -> SparkTable:
    """A data frame of Spark."""
    return _GivenFrame(table_of(backend_of(source.sparkSession), source), "Spark data frame", options)


def session_of(master: str | None) -> Any:
    """The session that there is, or a new one."""
    try:
        import ibis  # noqa: F401 - asked for here so that its absence is told plainly
        from pyspark.sql import SparkSession
    except ImportError:
        raise TableError("Spark needs Ibis and PySpark", remedy="pip install 'ontomask[spark]'") from None
    active = SparkSession.getActiveSession()
    if active is not None:
        return active
    builder = SparkSession.builder.appName("ontomask")
    if master is not None:
        builder = builder.master(master)
    settings = dict(_SETTINGS)
    if master is None or master.startswith("local"):
        os.environ.setdefault("PYSPARK_PYTHON", sys.executable)  # it would take the first one that there is
        settings["spark.local.dir"] = _private_folder()
        settings["spark.driver.memory"] = f"{_memory() >> 20}m"
        settings["spark.sql.shuffle.partitions"] = str(4 * cores())
    logged = f"-Dlog4j2.configurationFile={_LOGGING.as_uri()}"
    settings["spark.driver.extraJavaOptions"] = logged
    for key, value in settings.items():
        builder = builder.config(key, value)
    try:
        with handlers_kept():  # Spark takes Ctrl-C for itself
            return builder.getOrCreate()
    except Exception as error:  # of Python, of the bridge to Java, or of Spark
        raise TableError(
            "Spark cannot be started", details=said_by(error), remedy="it needs Java 17; see --master"
        ) from error


@cache
def backend_of(session: Any) -> Any:
    """The one connection of Ibis to a session, so that tables can be joined."""
    import ibis

    return ibis.pyspark.from_connection(session)


def table_of(backend: Any, frame: Any) -> Any:
    """A data frame as a table of Ibis, which does not know that a time of Spark is one of UTC."""
    import ibis.expr.operations as ops
    from ibis.backends.pyspark.datatypes import PySparkType
    from pyspark.sql.types import TimestampType

    found = {}
    for field in frame.schema.fields:
        kind = PySparkType.to_ibis(field.dataType)
        found[field.name] = kind.copy(timezone="UTC") if isinstance(field.dataType, TimestampType) else kind
    name = f"ontomask_{next(_names)}"
    frame.createOrReplaceTempView(name)
    return ops.DatabaseTable(name=name, schema=found, source=backend, namespace=ops.Namespace()).to_expr()


def write_folder(frame: Any, path: Path, compression: str) -> None:
    """Write a folder of Parquet files, and nothing else."""
    frame.write.parquet(_uri(path), compression=compression)
    for file in path.iterdir():
        if file.suffix != ".parquet" or file.name.startswith("."):
            file.unlink()


@contextmanager
def telling(label: str) -> Iterator[None]:
    """What Spark finds wrong, as an error of the table."""
    from py4j.protocol import Py4JError
    from pyspark.errors import PySparkException

    try:
        yield
    except (PySparkException, Py4JError) as error:
        raise TableError("Spark cannot do this", file=label, details=said_by(error)) from error


def _read_text(session: Any, path: Path, options: TableOptions) -> Any:
    """A file of delimited text; every column is text, none is null.

    Spark would drop blank lines, change line ends and replace what is not UTF-8. So Arrow reads it, once,
    into a folder that is private and of this machine alone.
    """
    import pyarrow as pa
    import pyarrow.csv as csv
    import pyarrow.parquet as pq

    if not session.sparkContext.master.startswith("local"):
        raise TableError("a cluster reads no text", file=str(path), remedy="write it as Parquet first")
    separator, names = header_of(path, options, "Spark")
    checked_names(names, str(path))
    target = Path(_private_folder()) / f"text-{next(_names)}.parquet"
    kinds = {name: pa.string() for name in names}
    try:
        with (
            csv.open_csv(
                path,
                csv.ReadOptions(column_names=list(names), block_size=16 << 20),
                csv.ParseOptions(delimiter=separator, newlines_in_values=True, ignore_empty_lines=False),
                csv.ConvertOptions(column_types=kinds, strings_can_be_null=False),
            ) as rows,
            pq.ParquetWriter(target, pa.schema(kinds.items())) as writer,
        ):
            for at, batch in enumerate(rows):
                writer.write_batch(batch if at else batch.slice(1))  # the first row is the column names
    except pa.ArrowException as error:
        raise TableError("not a readable text file", file=str(path), details=said_by(error)) from error
    return session.read.parquet(_uri(target))


@cache
def _private_folder() -> str:
    """Where Spark on this machine keeps what does not fit into memory, for this user's eyes only."""
    folder = mkdtemp(prefix="ontomask-")
    atexit.register(rmtree, folder, ignore_errors=True)
    return folder


def _kept_meanwhile(frame: Any, schema: pa.Schema, label: str) -> Iterator[pa.RecordBatch]:
    """The rows of a data frame, from a temporary folder that is removed when all of them are taken."""
    import pyarrow.dataset as ds

    with TemporaryDirectory(prefix="ontomask-") as folder:
        with telling(label):
            write_folder(frame, Path(folder) / "rows", "lz4")
        for batch in ds.dataset(Path(folder) / "rows", format="parquet").to_batches():
            yield batch.cast(schema)


@cache
def _register_texts(session: Any) -> None:
    """Give Spark the function by which Python writes texts."""
    from pyspark.sql.functions import ArrowUDFType, arrow_udf

    session.udf.register(_TEXT_OF, arrow_udf(_texts, "string", ArrowUDFType.SCALAR))


def _texts(values: pa.Array) -> pa.Array:
    import pyarrow as pa

    if pa.types.is_timestamp(values.type):
        values = values.cast(pa.timestamp("us", "UTC"))  # whatever clock the session has
    return pa.array(texts_of(values), pa.string())


def _memory() -> int:
    """For Spark on one machine: a quarter of its memory, at least 1 GiB and at most 4."""
    return min(max(memory() // 4, _LEAST_MEMORY), _MOST_MEMORY)


def _uri(path: Path) -> str:
    return path.absolute().as_uri()
