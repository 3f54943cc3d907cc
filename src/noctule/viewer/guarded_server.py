"""A viser server that accepts connections only from its own pages, titled Noctule.

viser accepts WebSockets from any page: a page of another site, open in the same browser, could read
and control the view. So the function with which viser starts its server is wrapped.
"""

import threading
from functools import partial
from typing import Any
from urllib.parse import urlsplit

HOSTS = ("127.0.0.1", "localhost", "::1")  # names of this machine

_starting = threading.Lock()


def start_server(viser: Any, port: int) -> Any:
    """Start a viser server for this machine only; port 0 selects a free port."""
    from websockets.asyncio import server as sockets

    serve, started = sockets.serve, []

    def serve_guarded(*arguments: Any, process_request: Any, **options: Any) -> Any:
        started.append(True)
        return serve(*arguments, process_request=partial(_answer, process_request), **options)

    with _starting:
        sockets.serve = serve_guarded  # type: ignore[assignment, misc]
        try:
            server = viser.ViserServer(host=HOSTS[0], port=port, label="Noctule", verbose=False)
        finally:
            sockets.serve = serve  # type: ignore[misc]
    if not started:  # this version of viser starts its server differently
        server.stop()
        raise RuntimeError(f"viser {viser.__version__} cannot be protected from other sites")
    return server


def is_own_page(origin: str | None, host: str) -> bool:
    """Whether a request with this Origin and Host header comes from a page of our own.

    Programs other than browsers send no origin. Ports may be forwarded, so only host names are
    fixed. Origin and host must agree, which excludes pages of other servers on this machine.
    """
    if origin is None:
        return True
    try:
        page = urlsplit(origin)
        return page.scheme in ("http", "https") and page.netloc == host and page.hostname in HOSTS
    except ValueError:
        return False


async def _answer(serve_page: Any, connection: Any, request: Any) -> Any:
    """Refuse connections from other sites; set the title of the page and forbid frames."""
    if "Upgrade" in request.headers:
        origin, host = (request.headers.get(name) for name in ("Origin", "Host"))
        if not is_own_page(origin, host or ""):
            return connection.respond(403, f"pages of {origin} may not connect\n")
    if "Accept-Encoding" in request.headers:
        del request.headers["Accept-Encoding"]
    response = serve_page(connection, request)
    if hasattr(response, "__await__"):
        response = await response
    if response is not None and response.body and b"<title>" in response.body[:10_000]:
        response.body = with_title(response.body.decode()).encode()
        del response.headers["Content-Length"]
        response.headers["Content-Length"] = str(len(response.body))
        response.headers["Content-Security-Policy"] = "frame-ancestors 'self'"
    return response


def with_title(page: str) -> str:
    """Return a viser page with our title."""
    return page.replace("<title>Viser</title>", "<title>Noctule</title>", 1)
