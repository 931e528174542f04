"""The server: this machine alone, a free port, and the address to be opened."""

from __future__ import annotations

import gc
import socket
from collections.abc import Callable
from contextlib import closing
from typing import Any

import uvicorn

from ontomask.web.app import application
from ontomask.web.copies import remove_left
from ontomask.web.session import Session

HOST = "127.0.0.1"
_NEW_OBJECTS = 100_000  # until garbage is looked for: beside an ontology that takes longer than an answer


def serve(session: Session, opened: Callable[[str], object], port: int = 0) -> None:
    """Serve the pages of a session until it is ended; `opened` is given the address once it answers."""
    remove_left()
    gc.set_threshold(_NEW_OBJECTS)
    # By its protocol asyncio knows that what is written is to be sent at once: else an answer waits 40 ms.
    with closing(socket.socket(proto=socket.IPPROTO_TCP)) as listening:
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind((HOST, port))
        app = application(session, f"{HOST}:{listening.getsockname()[1]}")
        config = uvicorn.Config(
            app,
            log_level="error",
            access_log=False,
            lifespan="off",
            server_header=False,
            timeout_graceful_shutdown=1,
        )
        try:
            _Server(config, lambda: opened(app.entry), session).run([listening])
        finally:
            session.end()


class _Server(uvicorn.Server):
    """One that says when it answers, and lets no page wait for what will not come."""

    def __init__(self, config: uvicorn.Config, answers: Callable[[], object], session: Session) -> None:
        super().__init__(config)
        self._answers, self._session = answers, session

    async def startup(self, sockets: Any = None) -> None:
        await super().startup(sockets)
        self._answers()

    async def shutdown(self, sockets: Any = None) -> None:
        self._session.is_ending = True
        await super().shutdown(sockets)
