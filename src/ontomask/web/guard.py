"""Who may ask: this machine's browser that was given the token, and no page of anybody else.

- The token of the address that is opened serves once; a cookie of this session takes its place.
- `Host` must be the address that is listened at, so that no name that somebody points here (DNS rebinding)
  reaches anything; what changes something must come from a page of the same address (`Origin`).
- No page loads or runs anything that is not a file of this server: no inline script, no inline style.
"""

from __future__ import annotations

from hmac import compare_digest
from http.cookies import CookieError, SimpleCookie
from secrets import token_urlsafe
from urllib.parse import parse_qs

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import PlainTextResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

ENTRY = "/enter"
_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "frame-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
_HEADERS = {
    "Content-Security-Policy": _POLICY,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-store",
}


class Guard:
    """Lets through only what comes from the session's own browser; see the module."""

    def __init__(self, app: ASGIApp, address: str) -> None:
        """`address` is host and port."""
        self._app, self._address = app, address
        self._cookie = f"ontomask-{address.rpartition(':')[2]}"  # cookies do not tell ports apart
        self._session = token_urlsafe(32)
        self._token: str | None = token_urlsafe(32)

    @property
    def entry(self) -> str:
        """The address to be opened, once."""
        return f"http://{self._address}{ENTRY}?token={self._token}"

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return
        answer = self._refusal(scope)
        if answer is None and scope["path"] == ENTRY:
            answer = self._entered(scope)
        elif answer is None and not self._is_known(Headers(scope=scope)):
            answer = PlainTextResponse(
                "This page is for the browser that ontomask web opened. Start it again for a new address.",
                403,
            )
        await (answer or self._app)(scope, receive, _with_headers(send))

    def _refusal(self, scope: Scope) -> Response | None:
        headers = Headers(scope=scope)
        if headers.get("host") != self._address:
            return PlainTextResponse("Not the address of this page.", 403)
        if scope["method"] not in ("GET", "HEAD") and headers.get("origin") != f"http://{self._address}":
            return PlainTextResponse("Only a page of this address may change something.", 403)
        return None

    def _entered(self, scope: Scope) -> Response:
        given = parse_qs(scope["query_string"].decode("latin-1")).get("token", [""])[0]
        if self._is_known(Headers(scope=scope)):
            return RedirectResponse("/", 303)
        if self._token is None or not compare_digest(given.encode(), self._token.encode()):
            return PlainTextResponse("This address was used before, or is not that of this session.", 403)
        self._token = None
        answer = RedirectResponse("/", 303)
        answer.set_cookie(self._cookie, self._session, httponly=True, samesite="strict")
        return answer

    def _is_known(self, headers: Headers) -> bool:
        try:
            found = SimpleCookie(headers.get("cookie", "")).get(self._cookie)
        except CookieError:
            return False
        return found is not None and compare_digest(found.value.encode(), self._session.encode())


def _with_headers(send: Send) -> Send:
    async def sending(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            for name, value in _HEADERS.items():
                headers.setdefault(name, value)
        await send(message)

    return sending
