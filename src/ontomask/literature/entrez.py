"""Counts from a search engine that speaks the Entrez E-utilities protocol: `einfo` and `esearch`.

Nothing is asked unless its address is given. Answers are kept on disk; requests keep to the pace that the
service allows and are tried again where that may help. The key comes from the environment (`NCBI_API_KEY`)
and goes to the service alone: not into the cache, a log or an error.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from hashlib import sha256
from http.client import HTTPException
from pathlib import Path
from typing import Any
from urllib.error import HTTPError
from urllib.parse import urlencode, urlsplit
from urllib.request import (
    HTTPDefaultErrorHandler,
    HTTPErrorProcessor,
    HTTPHandler,
    HTTPSHandler,
    OpenerDirector,
    ProxyHandler,
    Request,
)
from xml.etree.ElementTree import ParseError, fromstring

from ontomask.errors import OntomaskError
from ontomask.files import regular, replacing
from ontomask.literature.counts import SearchedTexts, phrases_of
from ontomask.literature.filters import pubmed_query
from ontomask.ontology.catalog import cache_folder

KEY = "NCBI_API_KEY"
_A_SECOND, _A_SECOND_WITH_KEY = 3, 10
_LONGEST_ANSWER = 1_000_000
_LONGEST_WAIT = 60.0
_SECONDS_OF_A_DAY = 86_400
_LOCAL = ("localhost", "127.0.0.1", "::1")


@dataclass(frozen=True)
class Patience:
    """How long to wait: for an answer, between tries (doubled each time), and how often to try."""

    timeout: float = 30.0
    pause: float = 1.0
    tries: int = 5
    wait: Callable[[float], object] = time.sleep
    clock: Callable[[], float] = time.monotonic


class _Again(Exception):  # noqa: N818
    """What went wrong this time, and how long to wait at least before the next."""

    def __init__(self, reason: str, pause: float = 0.0) -> None:
        super().__init__(reason)
        self.pause = pause


class Entrez(SearchedTexts):
    """The texts of an E-utilities service, such as PubMed.

    Parameters
    ----------
    address
        Where the programs of the service are, such as ``https://HOST/entrez/eutils``.
    cache
        The folder where answers are kept; None: none are.
    days
        For how long they are.
    """

    def __init__(
        self,
        address: str,
        *,
        database: str = "pubmed",
        cache: Path | None = None,
        days: float = 30.0,
        patience: Patience | None = None,
    ) -> None:
        super().__init__()
        self.address = _checked(address)
        self._host = urlsplit(self.address).netloc
        self._database, self._cache, self._days = database, cache, days
        self._patience = patience or Patience()
        self._key = os.environ.get(KEY, "").strip()
        if self._key and not self.address.startswith("https:") and urlsplit(address).hostname not in _LOCAL:
            raise OntomaskError(
                f"the key in {KEY} would be sent to {self._host} for everybody to read",
                remedy="give an address that begins with https://, or unset the key",
            )
        self._interval = 1 / (_A_SECOND_WITH_KEY if self._key else _A_SECOND)
        self._may_ask_at = self._patience.clock()
        self._opener = _opener()

    def found(self, terms: Sequence[str], filter: str | None) -> int:
        query = _query(terms, filter)
        program = "esearch" if query else "einfo"
        asked = {"db": self._database}
        if query:
            asked |= {"term": query, "rettype": "count"}
        name = sha256(json.dumps([self.address, program, asked]).encode()).hexdigest()
        file = self._cache / f"{name}.json" if self._cache else None
        known = _kept(file, self._days) if file else None
        if known is None:
            known = self._asked(program, asked)
            if file:
                _keep(file, {"address": self.address, "asked": asked, "count": known})
        return known

    def _asked(self, program: str, asked: dict[str, str]) -> int:
        """The count that the service answers with, however often it has to be asked."""
        reason = ""
        for attempt in range(self._patience.tries):
            try:
                return _count_in(self._answer(program, asked), program)
            except _Again as failure:
                reason = str(failure)
                reason = reason.replace(self._key, "(the key)") if self._key else reason
                if attempt + 1 < self._patience.tries:
                    self._patience.wait(max(self._patience.pause * 2**attempt, failure.pause))
        raise OntomaskError(
            f"{self._host} gave no count, tried {self._patience.tries} times: {reason}",
            remedy="try again later; what is counted so far is kept",
        )

    def _answer(self, program: str, asked: dict[str, str]) -> bytes:
        now = self._patience.clock()
        if now < self._may_ask_at:
            self._patience.wait(self._may_ask_at - now)
        self._may_ask_at = max(now, self._may_ask_at) + self._interval
        given = asked | {"tool": "ontomask"} | ({"api_key": self._key} if self._key else {})
        request = Request(f"{self.address}/{program}.fcgi?{urlencode(given)}")
        try:
            with self._opener.open(request, timeout=self._patience.timeout) as response:
                return _whole(response)
        except HTTPError as error:
            with error:  # its text may repeat the key: it is not told
                said = f"{error.code} {error.reason}"
                if error.code == 429 or error.code >= 500:
                    raise _Again(said, _seconds(error.headers.get("Retry-After"))) from None
            raise OntomaskError(
                f"{self._host} refused to count ({said})", remedy=f"check the address, and {KEY} if it is set"
            ) from None
        except TimeoutError:
            raise _Again("no answer in time") from None
        except (OSError, HTTPException) as error:
            reason = getattr(error, "reason", error)
            said = "no answer in time" if isinstance(reason, TimeoutError) else type(reason).__name__
            raise _Again(f"the connection failed ({said})") from None


def default_cache() -> Path:
    """Where answers are kept if nobody says otherwise."""
    return cache_folder() / "entrez"


def _checked(address: str) -> str:
    """The address without its last slash, if it can be one."""
    try:
        parts = urlsplit(address)
        is_one = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        is_one = False
    if not is_one or not address.isprintable() or " " in address or parts.query or parts.fragment:
        raise OntomaskError(
            f"{address!r} is not the address of a service",
            value=address,
            is_public=True,
            remedy="such as https://HOST/entrez/eutils",
        )
    if parts.username or parts.password:
        raise OntomaskError("an address must not hold a name or a password", remedy=f"use {KEY} for a key")
    return address.rstrip("/")


def _opener() -> OpenerDirector:
    """What opens addresses of the web and nothing else; another address is not followed."""
    opener = OpenerDirector()
    for handler in (ProxyHandler, HTTPHandler, HTTPSHandler, HTTPDefaultErrorHandler, HTTPErrorProcessor):
        opener.add_handler(handler())
    opener.addheaders = [("User-Agent", "ontomask")]
    return opener


def _query(terms: Sequence[str], filter: str | None) -> str:
    """Texts with all of the terms in title or abstract, as PubMed takes it; empty for all texts.

    >>> _query(["heart disease", "sex|gender"], None)
    '("heart disease"[Title/Abstract]) AND ("sex"[Title/Abstract] OR "gender"[Title/Abstract])'
    """
    parts = [" OR ".join(f'"{phrase}"[Title/Abstract]' for phrase in phrases_of(term)) for term in terms]
    parts += [pubmed_query(filter)] if filter else []
    return " AND ".join(f"({part})" for part in parts)


def _whole(response: Any) -> bytes:
    content: bytes = response.read(_LONGEST_ANSWER + 1)
    if len(content) > _LONGEST_ANSWER:
        raise _Again("an answer that is far too long")
    return content


def _count_in(answer: bytes, program: str) -> int:
    """The count in an answer; an answer without one may have one the next time."""
    try:
        root = fromstring(answer)
    except (ParseError, LookupError, ValueError):
        raise _Again("an answer that is no XML") from None
    if (fault := root.findtext(".//ERROR")) is not None:
        said = " ".join(fault.split())[:200]
        raise _Again(f"it says {said!r}")
    count = root.findtext("DbInfo/Count" if program == "einfo" else "Count")
    digits = (count or "").strip()
    if not (digits.isascii() and digits.isdigit() and len(digits) <= 15):
        raise _Again("an answer without a count")
    return int(digits)


def _seconds(retry_after: str | None) -> float:
    """How long a service asks to wait, as a number or as a date; within reason.

    >>> _seconds("7"), _seconds("10000"), _seconds(None)
    (7.0, 60.0, 0.0)
    """
    seconds = 0.0
    with suppress(ValueError, TypeError, OverflowError):
        if retry_after and retry_after.strip().isdigit():
            seconds = float(retry_after)
        elif retry_after:
            seconds = (parsedate_to_datetime(retry_after) - datetime.now(UTC)).total_seconds()
    return min(max(seconds, 0.0), _LONGEST_WAIT)


def _kept(file: Path, days: float) -> int | None:
    """A count that was kept; None if it was not, is too old, or the file is damaged."""
    try:
        content = json.loads(regular(file).read_bytes())
        is_fresh = time.time() - file.stat().st_mtime <= days * _SECONDS_OF_A_DAY
        count = content["count"]
    except (OSError, ValueError, TypeError, LookupError, RecursionError):
        return None
    return count if is_fresh and type(count) is int and count >= 0 else None


def _keep(file: Path, content: dict[str, Any]) -> None:
    """Keep an answer; a cache that cannot be written is no reason to stop."""
    with suppress(OSError, OntomaskError):
        file.parent.mkdir(parents=True, exist_ok=True)
        with replacing(file) as temporary:
            temporary.write_text(json.dumps(content), encoding="utf-8")
