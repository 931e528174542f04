"""The client of the E-utilities against a server that speaks the protocol, faults included."""

from __future__ import annotations

import json
import re
import threading
import time
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pyarrow as pa
import pytest

import ontomask as om
from ontomask.errors import OntomaskError
from ontomask.literature import Counts, Entrez, open_literature
from ontomask.literature.entrez import KEY, Patience
from ontomask.literature.filters import pubmed_query

SECRET = "k3y0f5omebody"
TEXTS = ["heart disease and age", "heart disease of the young", "age", "sex at any age", "gender", "a trial"]
Fault = Callable[["Handler"], None]


class Service(ThreadingHTTPServer):
    """Some texts that can be searched; `faults` are what goes wrong first, one after the other."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.faults: list[Fault] = []
        self.asked: list[dict[str, str]] = []
        self.times: list[float] = []

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}/entrez/eutils"

    def count(self, query: str) -> int:
        """How many texts fit a query in the language of PubMed, as far as it is needed here."""
        texts = [text for text in TEXTS if "trial" in text or pubmed_query("therapy") not in query]
        groups = re.findall(r'\((("[^"]+"\[Title/Abstract\](?: OR )?)+)\)', query)
        for group, _ in groups:
            phrases = re.findall(r'"([^"]+)"', group)
            texts = [text for text in texts if any(phrase in text for phrase in phrases)]
        return len(texts)


class Handler(BaseHTTPRequestHandler):
    """`einfo.fcgi` and `esearch.fcgi`."""

    server: Service

    def do_GET(self) -> None:
        parts = urlsplit(self.path)
        given = {name: values[0] for name, values in parse_qs(parts.query).items()}
        self.server.asked.append({"program": parts.path, **given})
        self.server.times.append(time.monotonic())
        if self.server.faults:
            return self.server.faults.pop(0)(self)
        if parts.path == "/entrez/eutils/einfo.fcgi":
            info = f"<DbName>{given['db']}</DbName><Count>{len(TEXTS)}</Count>"
            fields = "<FieldList><Field><Name>TIAB</Name><TermCount>99</TermCount></Field></FieldList>"
            return self.say(f"<eInfoResult><DbInfo>{info}{fields}</DbInfo></eInfoResult>")
        if parts.path == "/entrez/eutils/esearch.fcgi" and given["rettype"] == "count":
            count = self.server.count(given["term"])
            return self.say(f"<eSearchResult>\n\t<Count>{count}</Count>\n</eSearchResult>")
        return self.say("nothing here", 404)

    def say(self, content: str, code: int = 200, length: int | None = None, **headers: str) -> None:
        body = content.encode()
        self.send_response(code)
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.send_header("Content-Length", str(len(body) if length is None else length))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        pass


@pytest.fixture(autouse=True)
def _plain_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """No key, and nobody between this machine and itself."""
    monkeypatch.delenv(KEY, raising=False)
    monkeypatch.setenv("no_proxy", "127.0.0.1")


@pytest.fixture
def service() -> Iterator[Service]:
    server = Service()
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    yield server
    server.shutdown()
    thread.join()
    server.server_close()


class Waits:
    """A clock that nobody waits for."""

    def __init__(self) -> None:
        self.now, self.waited = 0.0, list[float]()

    def __call__(self, seconds: float) -> None:
        self.waited.append(seconds)
        self.now += seconds

    def patience(self, **given: float) -> Patience:
        return Patience(**{"timeout": 5.0, **given}, wait=self, clock=lambda: self.now)  # type: ignore[arg-type]


def test_counts(service: Service) -> None:
    texts = Entrez(service.address + "/", patience=Waits().patience())
    assert texts.counts("age", "heart disease") == Counts(3, 2, 1, 6)
    assert texts.counts("sex|gender", "heart_disease") == Counts(2, 2, 0, 6)
    programs = [asked["program"].rpartition("/")[2] for asked in service.asked]
    assert programs.count("einfo.fcgi") == 1  # what was counted once is remembered
    assert service.asked[0]["term"] == '("age"[Title/Abstract])'
    assert all(asked["db"] == "pubmed" and asked["tool"] == "ontomask" for asked in service.asked)


def test_a_filter_is_a_query_and_bounds_the_collection(service: Service) -> None:
    texts = Entrez(service.address, patience=Waits().patience())
    assert texts.counts("a", "trial", "therapy") == Counts(1, 1, 1, 1)
    assert service.asked[-1]["term"] == f"({pubmed_query('therapy')})"


def test_pace(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    for key, interval in (("", 1 / 3), (SECRET, 1 / 10)):
        monkeypatch.setenv(KEY, key)
        waits = Waits()
        Entrez(service.address, patience=waits.patience()).counts("age", "sex")
        assert waits.waited == pytest.approx([interval] * 3)
    assert [asked.get("api_key") for asked in service.asked] == [None] * 4 + [SECRET] * 4


def too_many(handler: Handler) -> None:
    handler.say('{"error":"API rate limit exceeded","count":"11"}', 429, Retry_After="7")


def broken(handler: Handler) -> None:
    handler.say("<html>broken", 500)


def busy(handler: Handler) -> None:
    handler.say("", 503, Retry_After="Wed, 21 Oct 2015 07:28:00 GMT")


def garbage(handler: Handler) -> None:
    handler.say("<html><p>Maintenance")


def no_count(handler: Handler) -> None:
    handler.say("<eSearchResult><Count>many</Count></eSearchResult>")


def complains(handler: Handler) -> None:
    handler.say(f"<eSearchResult><ERROR>Search Backend failed: {SECRET}</ERROR></eSearchResult>")


def truncated(handler: Handler) -> None:
    handler.say("<eSearchResult><Count>12</Count></eSearchRes", length=200)


def endless(handler: Handler) -> None:
    handler.say(f"<eSearchResult>{' ' * 1_100_000}<Count>1</Count></eSearchResult>")


def hangs_up(handler: Handler) -> None:
    handler.close_connection = True
    handler.connection.close()


@pytest.mark.parametrize(
    "fault", [too_many, broken, busy, garbage, no_count, complains, truncated, endless, hangs_up]
)
def test_what_passes_is_tried_again(service: Service, fault: Fault) -> None:
    service.faults = [fault, fault]
    waits = Waits()
    assert Entrez(service.address, patience=waits.patience(pause=2.0)).found(["age"], None) == 3
    backing_off = [7.0, 7.0] if fault is too_many else [2.0, 4.0]
    assert [waited for waited in waits.waited if waited >= 2] == backing_off
    assert len(service.asked) == 3


def test_time_out(service: Service) -> None:
    released = threading.Event()
    service.faults = [lambda handler: (released.wait(10), handler.say("late"))[1]] * 2
    texts = Entrez(service.address, patience=Waits().patience(timeout=0.2, tries=2))
    with pytest.raises(OntomaskError, match=r"gave no count, tried 2 times: .*no answer in time"):
        texts.found(["age"], None)
    released.set()


@pytest.mark.parametrize("fault", [too_many, broken, garbage, complains, truncated, hangs_up])
def test_what_stays_is_told_without_the_key(
    service: Service, fault: Fault, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(KEY, SECRET)
    service.faults = [fault] * 3
    texts = Entrez(service.address, patience=Waits().patience(tries=3))
    with pytest.raises(OntomaskError, match=r"127\.0\.0\.1:\d+ gave no count, tried 3 times") as told:
        texts.found(["age"], None)
    assert SECRET not in str(told.value) + repr(told.value.__cause__)
    assert told.value.__suppress_context__ or told.value.__context__ is None


def test_a_refusal_is_final_and_tells_no_key(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(KEY, SECRET)
    service.faults = [lambda handler: handler.say(f'{{"error":"API key invalid","api-key":"{SECRET}"}}', 400)]
    with pytest.raises(OntomaskError, match=r"refused to count \(400 Bad Request\); check the addr") as told:
        Entrez(service.address, patience=Waits().patience()).found(["age"], None)
    assert SECRET not in str(told.value) and len(service.asked) == 1


def test_no_other_address_is_followed(service: Service) -> None:
    service.faults = [lambda handler: handler.say("", 302, Location="http://127.0.0.1:9/x")]
    with pytest.raises(OntomaskError, match=r"refused to count \(302 Found\)"):
        Entrez(service.address, patience=Waits().patience()).found(["age"], None)


def test_answers_are_kept(service: Service, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(KEY, SECRET)

    def texts(days: float = 30) -> Entrez:
        return Entrez(service.address, cache=tmp_path / "kept", days=days, patience=Waits().patience())

    assert texts().counts("age", "sex") == texts().counts("age", "sex") == Counts(3, 1, 1, 6)
    assert len(service.asked) == 4
    files = sorted((tmp_path / "kept").iterdir())
    assert len(files) == 4
    assert not any(SECRET in file.read_text() + file.name for file in files)
    for file, damage in zip(files, ("", "[]", '{"count": -1}', '{"count": "3"}'), strict=True):
        file.write_text(damage)
    assert texts().counts("age", "sex") == Counts(3, 1, 1, 6)
    assert len(service.asked) == 8
    assert texts(days=-1).counts("age", "sex") == Counts(3, 1, 1, 6)  # too old
    assert len(service.asked) == 12
    assert all(json.loads(file.read_text())["address"] == service.address for file in files)


def test_a_cache_that_cannot_be_written_is_no_fault(service: Service, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    texts = Entrez(service.address, cache=tmp_path / "file", patience=Waits().patience())
    assert texts.found(["age"], None) == 3


@pytest.mark.parametrize(
    "address",
    [
        "ftp://host/x",
        "file:///etc/passwd",
        "https://",
        "https://host/x?key=1",
        "https://ho st/",
        "https://h:x/",
    ],
)
def test_odd_addresses(address: str) -> None:
    with pytest.raises(OntomaskError, match="is not the address of a service"):
        open_literature(address)


def test_secrets_in_addresses(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(OntomaskError, match="must not hold a name or a password") as told:
        open_literature(f"https://me:{SECRET}@host/eutils")
    assert SECRET not in str(told.value)
    monkeypatch.setenv(KEY, SECRET)
    with pytest.raises(OntomaskError, match="for everybody to read; give an address that begins with https"):
        open_literature("http://example.org/eutils")
    open_literature("https://example.org/eutils")  # nothing is asked yet


def test_nobody_there() -> None:
    texts = Entrez("http://127.0.0.1:9/eutils", patience=Waits().patience(tries=2))
    with pytest.raises(OntomaskError, match=r"the connection failed \(ConnectionRefusedError\)"):
        texts.found(["age"], None)


def test_a_plan_may_name_a_service_and_the_release_says_so(
    service: Service, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("ONTOMASK_CACHE", str(tmp_path))
    monkeypatch.setenv(KEY, SECRET)  # ten requests in a second
    masked = {"role": "quasi-identifier", "ontology": "flat"}
    plan = {
        "attributes": {"age": masked, "ill": {"role": "confidential"}},
        "privacy": {"lkc": {"L": 1, "K": 2}},
        "method": {
            "name": "top-down",
            "target": "ill",
            "score": "mim",
            "literature": service.address,
            "target_term": "heart disease",
        },
    }
    table = pa.table({"age": ["old", "young"] * 4, "ill": ["yes", "no"] * 4})
    release = om.anonymize(table, plan)
    assert release.trace is not None and release.trace["mim"] == {"age": 1 * 6 / (3 * 2)}
    assert any("over the network" in note for note in release.manifest["notes"])
    assert SECRET not in str(release.manifest)
    assert {asked.get("term", "") for asked in service.asked} == {
        "",
        '("age"[Title/Abstract])',
        '("heart disease"[Title/Abstract])',
        '("age"[Title/Abstract]) AND ("heart disease"[Title/Abstract])',
    }, "nothing of the table goes there"
    service.faults += [lambda handler: handler.say("no", 403)] * 9
    with pytest.raises(OntomaskError) as refused:
        om.anonymize(table, plan | {"method": {**plan["method"], "terms": {"age": "sex"}}})
    assert refused.value.faults[0].key == "method.literature"
