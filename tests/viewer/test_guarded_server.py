"""Only pages of the viewer itself may connect to it, and they are called Noctule."""

import threading
import urllib.request

import pytest

pytest.importorskip("viser", reason="viser is not installed")

from websockets.exceptions import InvalidStatus
from websockets.sync.client import connect

from noctule.viewer.guarded_server import is_own_page, start_server
from noctule.viewer.page_base import close_server, open_server, url_of


@pytest.fixture(scope="module")
def server():
    server = open_server(None)
    yield server
    close_server(server)


def handshake(server, origin, host=None):
    """Connect as a page with this origin does; return whether it was let in."""
    url = url_of(server).replace("http", "ws")
    name = host or f"127.0.0.1:{server.get_port()}"
    headers = {"Host": name} if host else {}
    try:
        with connect(url, origin=origin, subprotocols=["viser-v1"], additional_headers=headers):
            return True
    except InvalidStatus as refused:
        return {403: False}[refused.response.status_code]


def test_other_sites_are_refused(server):
    port = server.get_port()
    for origin in (
        "https://example.com",
        f"https://example.com:{port}",
        f"http://127.0.0.1.example.com:{port}",
        f"http://user@example.com:{port}",
        f"http://127.0.0.1:{port + 1}",  # another server on this machine
        "http://127.0.0.1",
        "null",  # a page in a file, or in a sandbox
        f"file://127.0.0.1:{port}",
        "http://[",
        "",
    ):
        assert not handshake(server, origin), origin


def test_its_own_pages_and_programs_are_let_in(server):
    assert handshake(server, f"http://127.0.0.1:{server.get_port()}")
    assert handshake(server, None)


def test_a_name_that_another_site_gives_to_this_machine_is_refused():
    """Its pages have its name as origin and as host."""
    assert not is_own_page("http://example.com:80", "example.com:80")
    assert is_own_page("http://localhost:80", "localhost:80")
    assert is_own_page("http://[::1]:80", "[::1]:80")
    assert is_own_page("http://localhost:9000", "localhost:9000")  # a forwarded port


def test_the_page_has_our_name(server):
    with urllib.request.urlopen(url_of(server)) as answer:
        text = answer.read().decode()
        assert answer.headers["Content-Security-Policy"] == "frame-ancestors 'self'"
    assert "<title>Noctule</title>" in text
    assert "<title>Viser</title>" not in text


def test_servers_that_start_at_once_are_all_guarded():
    servers = []
    threads = [threading.Thread(target=lambda: servers.append(open_server(None))) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    try:
        assert len(servers) == 4
        assert not any(handshake(server, "https://example.com") for server in servers)
    finally:
        for server in servers:
            close_server(server)


def test_a_viser_that_starts_otherwise_is_not_used():
    class Other:
        __version__ = "99"

        class ViserServer:
            def __init__(self, **_):
                pass

            def stop(self):
                stopped.append(True)

    stopped = []
    with pytest.raises(RuntimeError, match="viser 99 cannot be protected"):
        start_server(Other, 0)
    assert stopped == [True]
