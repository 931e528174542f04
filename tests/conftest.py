"""Shared fixtures: WordNet, the golden trees, the data sets, and a cache folder of the tests' own."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings

import ontomask as om
from engines import PostgresServer, postgres_server, spark_session

# Kernels compile on their first call, so the first example of a property is slow; machines are shared.
settings.register_profile("ontomask", deadline=None, max_examples=20, derandomize=bool(os.environ.get("CI")))
settings.load_profile("ontomask")

ROOT = Path(__file__).parent.parent
GOLDEN = ROOT / "tests" / "golden"
DATA = Path(os.environ.get("ONTOMASK_DATA", ROOT.parent / "shared" / "data"))


# Few tests that take long: at the end, the other worker would wait for them. Those that start commands stand
# in the middle, when the loops that these use are compiled, or each of their processes would compile them.
FIRST = ("spark",)
MIDDLE = tuple(f"tests/web/{name}.py" for name in ("test_journeys", "test_browser", "test_web"))

# A shell ignores signals for what it runs in the background, and what tests start would do so, too.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)
if hasattr(signal, "SIGHUP") and signal.getsignal(signal.SIGHUP) is signal.SIG_IGN:
    signal.signal(signal.SIGHUP, signal.SIG_DFL)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """A file goes to one worker, so that what its fixtures make is made once; all tests of Spark go to one,
    so that it is started once."""
    from xdist.scheduler import LoadFileScheduling

    class ByFile(LoadFileScheduling):
        def _split_scope(self, nodeid: str) -> str:
            return "spark" if "spark" in nodeid else super()._split_scope(nodeid)

        def _assign_work_unit(self, node: Any) -> None:
            self.n_files = max(len(self.workqueue), getattr(self, "n_files", 0))
            is_middle = 2 * len(self.workqueue) < self.n_files
            for name in (*reversed(MIDDLE), *FIRST) if is_middle else FIRST:
                if name in self.workqueue:
                    self.workqueue.move_to_end(name, last=False)
            super()._assign_work_unit(node)

    return ByFile(config, log)


@pytest.fixture(scope="session", autouse=True)
def _own_cache(tmp_path_factory: pytest.TempPathFactory) -> None:
    os.environ["ONTOMASK_CACHE"] = str(tmp_path_factory.mktemp("cache"))


@pytest.fixture(scope="session")
def wordnet() -> om.Ontology:
    return om.load_ontology("wordnet")


@pytest.fixture(scope="session")
def icd10cm() -> om.Ontology:
    """For tests that ask for it by name more than once: what nobody holds is read anew each time."""
    pytest.importorskip("simple_icd_10_cm")
    return om.load_ontology("icd10cm")


@pytest.fixture(scope="session")
def golden() -> Callable[[str], om.Ontology]:
    return lambda name: om.load_ontology(GOLDEN / f"{name}.yaml")


@pytest.fixture(scope="session")
def data() -> Callable[[str], Path]:
    """Path of a data set; skips the test where it is not at hand."""

    def find(name: str) -> Path:
        path = DATA / name
        if not path.exists():
            pytest.skip(f"{name} is not in {DATA} (set ONTOMASK_DATA)")
        return path

    return find


@pytest.fixture(scope="session")
def postgres() -> Iterator[PostgresServer]:
    """A PostgreSQL server; skips the test where there is none."""
    with postgres_server() as server:
        yield server


@pytest.fixture(scope="session")
def spark() -> Iterator[Any]:
    """A session of Spark; skips the test where there is none."""
    with spark_session() as session:
        yield session
