"""Pseudonyms in the place of identifiers (spec 8.4): HMAC-SHA256 of the text under a secret key (RFC 2104).

The same text has the same pseudonym in every table that is released with the same key; without the key nobody
can compute one, so nobody can try all record numbers. The key comes from a file or the environment and is
kept nowhere: no plan, record, message or error has it. Knows texts and plans, no tables.
"""

from __future__ import annotations

import hmac
import os
from base64 import b32encode
from collections.abc import Iterable
from unicodedata import normalize

from ontomask.errors import OntomaskError
from ontomask.files import regular
from ontomask.plan import Plan

VARIABLE = "ONTOMASK_KEY"
LEAST_BYTES = 16
LENGTH = 20
"""Characters of five bits each: among a billion people two have the same one with probability 4e-13."""


def key_of(plan: Plan) -> bytes:
    """The key: what the file of `privacy.key_file` holds, else the variable ONTOMASK_KEY.

    Blanks and line ends around it do not count, so that an editor or `echo` may have written the file.
    """
    named = plan.privacy.key_file
    if named is not None:
        path = plan.path_of(named)
        try:
            key, place = regular(path).read_bytes(), str(path)
        except OSError as error:
            raise OntomaskError(
                f"the key cannot be read ({error.strerror})", file=str(path), key="privacy.key_file"
            ) from None
    else:
        key, place = os.fsencode(os.environ.get(VARIABLE, "")), ""
    key = key.strip()
    if not key and named is None:
        columns = ", ".join(map(repr, plan.with_role("pseudonym")))
        raise OntomaskError(
            f"pseudonyms need a key, and there is none (for {columns})",
            key="privacy.key_file",
            remedy="make one, `openssl rand -hex 32 > secret.key`, keep it apart from the release, and name "
            f"it by --key-file secret.key, `privacy: {{key_file: secret.key}}` or the variable {VARIABLE}",
        )
    if len(key) < LEAST_BYTES:
        raise OntomaskError(
            f"the key has {len(key)} bytes, fewer than {LEAST_BYTES}: it could be guessed",
            file=place,
            key="privacy.key_file" if place else VARIABLE,
            remedy="make one with `openssl rand -hex 32`",
        )
    return key


def pseudonym(key: bytes, text: str, length: int = LENGTH) -> str:
    """The first characters of HMAC-SHA256(key, text) in base 32 (A to Z, 2 to 7).

    Of the text blanks around it do not count, nor how an accent is encoded (Unicode NFC).

    >>> pseudonym(b"sixteen bytes or", "P-0017")
    '5GUAPJO7MV6BPEDXM4EF'
    >>> pseudonym(b"sixteen bytes or", " P-0017 ") == pseudonym(b"sixteen bytes or", "P-0017")
    True
    """
    message = normalize("NFC", text.strip()).encode()
    return b32encode(hmac.digest(key, message, "sha256")).decode()[:length]


def pseudonyms_of(
    column: str, texts: Iterable[str | None], key: bytes, length: int = LENGTH
) -> dict[str, str]:
    """The pseudonym of each distinct text; refused if two people would share one."""
    found, whose = dict[str, str](), dict[str, str]()
    for text in texts:
        if text is None:
            continue
        found[text] = new = pseudonym(key, text, length)
        meant = normalize("NFC", text.strip())
        if whose.setdefault(new, meant) != meant:
            raise OntomaskError(
                "two identifiers would have the same pseudonym", column=column, remedy="use another key"
            )
    return found
