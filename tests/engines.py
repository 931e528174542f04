"""Engines that tests share: a PostgreSQL server and a session of Spark, each started once for each worker.

Where a machine lacks one, its tests say that they skip. Tests that have `spark` in their names or parameters
are run by one worker, which alone starts it.
"""

from __future__ import annotations

import ctypes
import os
import pwd
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest

PASSWORD = "Tr0ub4dor&3"
_PR_SET_PDEATHSIG = 1
_SETTINGS = {
    "fsync": "off",
    "full_page_writes": "off",
    "autovacuum": "off",
    "shared_buffers": "32MB",
    "max_connections": "40",
    "listen_addresses": "127.0.0.1",
    "restart_after_crash": "on",
}
# Queries over few rows: it takes longer to prepare them well than to run them.
_QUICK_JAVA = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"
_QUICK_SPARK = {"spark.sql.shuffle.partitions": "2", "spark.sql.codegen.wholeStage": "false"}


@dataclass(frozen=True)
class PostgresServer:
    """A server of the tests' own: on a socket everybody is trusted, on the port `ana` needs a password."""

    folder: Path
    port: int
    process: subprocess.Popen[bytes]

    @property
    def server(self) -> str:
        """The URL of the database, by way of the socket."""
        return f"postgresql://postgres@/postgres?host={quote(str(self.folder))}&port={self.port}"

    def url(self, table: str) -> str:
        """The URL of a table, by way of the socket."""
        return f"{self.server}&table={quote(table)}"

    def url_with_password(self, table: str, user: str = "ana") -> str:
        """The URL of a table, by way of the port, where a password is asked for."""
        return f"postgresql://{user}@127.0.0.1:{self.port}/postgres?table={quote(table)}"

    @contextmanager
    def connected(self) -> Iterator[Any]:
        """A connection that commits every statement."""
        import psycopg

        with psycopg.connect(self.server, autocommit=True) as connection:
            yield connection

    def asked(self, query: str) -> list[tuple[Any, ...]]:
        """What a query gives."""
        with self.connected() as connection:
            return list(connection.execute(query).fetchall())

    def do(self, *statements: str) -> None:
        """Statements that give nothing."""
        with self.connected() as connection:
            for statement in statements:
                connection.execute(statement)

    def load(self, name: str, table: Any) -> None:
        """An Arrow table as a table of the database, written by Ibis' types."""
        import ibis
        from ibis.backends.sql.datatypes import PostgresType

        kinds = {
            column: PostgresType.to_string(kind)
            for column, kind in ibis.Schema.from_pyarrow(table.schema).items()
        }
        columns = ", ".join(f"{quoted(column)} {kind}" for column, kind in kinds.items())
        self.do(f"DROP TABLE IF EXISTS {quoted(name)}", f"CREATE TABLE {quoted(name)} ({columns})")
        with (
            self.connected() as connection,
            connection.cursor() as cursor,
            cursor.copy(f"COPY {quoted(name)} FROM STDIN") as copy,
        ):
            for row in zip(*(column.to_pylist() for column in table.columns), strict=True):
                copy.write_row(row)

    def strays(self, persistence: str = "pu") -> list[str]:
        """Tables of any schema that a run made for itself; `t` are those of a session that lasts."""
        marks = ", ".join(f"'{mark}'" for mark in persistence)
        found = self.asked(
            "SELECT relname FROM pg_class WHERE relname LIKE 'ontomask\\_%' AND relkind = 'r' "
            f"AND relpersistence IN ({marks})"
        )
        return [name for (name,) in found]

    def wait_until(self, query: str, seconds: float = 60) -> list[tuple[Any, ...]]:
        """What a query gives as soon as it gives anything."""
        with self.connected() as connection:
            end = time.monotonic() + seconds
            while time.monotonic() < end:
                if found := connection.execute(query).fetchall():
                    return list(found)
                time.sleep(0.02)
        raise TimeoutError(query)

    def wait_until_up(self, seconds: float = 60) -> None:
        """Until it answers."""
        import psycopg

        end = time.monotonic() + seconds
        while True:
            try:
                with self.connected():
                    return
            except psycopg.OperationalError:
                if time.monotonic() > end or self.process.poll() is not None:
                    raise
                time.sleep(0.05)


def quoted(name: str) -> str:
    """A name as SQL has it."""
    return '"' + name.replace('"', '""') + '"'


@contextmanager
def postgres_server() -> Iterator[PostgresServer]:
    """A server that lasts as long as the block, and no longer than this process."""
    pytest.importorskip("psycopg", reason="psycopg is not installed")
    pytest.importorskip("ibis", reason="ibis is not installed")
    found = [*sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"), key=_version), shutil.which("initdb")]
    if not any(found):
        pytest.skip("there is no PostgreSQL server here (Debian's package is `postgresql`)")
    programs = Path(next(one for one in reversed(found[:-1] or found) if one)).parent
    folder = Path(tempfile.mkdtemp(prefix="ontomask-pg-"))
    who: dict[str, Any] = {}
    if os.geteuid() == 0:  # it refuses to run as root
        try:
            account = pwd.getpwnam("postgres")
        except KeyError:
            shutil.rmtree(folder)
            pytest.skip("PostgreSQL does not run as root, and there is no user postgres")
        who = {"user": account.pw_uid, "group": account.pw_gid, "extra_groups": []}
        os.chown(folder, account.pw_uid, account.pw_gid)
    process = None
    try:
        _initialise(programs, folder, who)
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        settings = _SETTINGS | {"port": str(port), "unix_socket_directories": str(folder)}
        with (folder / "log").open("wb") as log:
            process = subprocess.Popen(
                [programs / "postgres", "-D", folder / "data"]
                + [f"--{name}={value}" for name, value in settings.items()],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                cwd=folder,
                preexec_fn=_end_with_parent,
                **who,
            )
        server = PostgresServer(folder, port, process)
        server.wait_until_up()
        server.do(f"CREATE ROLE ana LOGIN SUPERUSER PASSWORD '{PASSWORD}'")
        yield server
    finally:
        if process is not None:
            process.send_signal(signal.SIGQUIT)  # at once, without tidying up
            process.wait(30)
        shutil.rmtree(folder, ignore_errors=True)


def _version(program: Path) -> float:
    return float(program.parts[-3])


def _initialise(programs: Path, folder: Path, who: dict[str, Any]) -> None:
    options = "--auth-local=trust --auth-host=scram-sha-256 --encoding=UTF8 --locale=C.UTF-8 --no-sync"
    subprocess.run(
        [programs / "initdb", "-D", folder / "data", "-U", "postgres", *options.split()],
        check=True,
        capture_output=True,
        cwd=folder,
        **who,
    )


def _end_with_parent() -> None:
    """Whatever ends the tests ends the server."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGQUIT)


@contextmanager
def spark_session() -> Iterator[Any]:
    """A session as the product starts it, for small tables; a task that dies is tried again, and tasks find
    the modules of the tests."""
    pytest.importorskip("pyspark", reason="pyspark is not installed")
    pytest.importorskip("ibis", reason="ibis is not installed")
    if not shutil.which("java") and not os.environ.get("JAVA_HOME"):
        pytest.skip("there is no Java here (Debian's package is `default-jre-headless`)")
    from ontomask.tables.spark import session_of

    os.environ.setdefault("JDK_JAVA_OPTIONS", _QUICK_JAVA)
    known = [str(Path(__file__).parent), *filter(None, [os.environ.get("PYTHONPATH")])]
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTHONPATH", os.pathsep.join(known))
        session = session_of("local[2,4]")
    for key, value in _QUICK_SPARK.items():
        session.conf.set(key, value)
    try:
        yield session
    finally:
        session.stop()
