"""Forget what a test or an example has registered."""

import sys

import pytest

# The site has its own settings; what its build writes are copies.
collect_ignore_glob = ["docs/*.py", "docs/gallery/*", "build/*"]


@pytest.fixture(autouse=True)
def registered():
    """Restore the registered algorithms and graphs after each test."""
    registry = sys.modules.get("noctule.registry")
    graphs = sys.modules.get("noctule.graphs.registered")
    tables = [registry._REGISTERED, registry._BY_SPELLING] if registry else []
    tables += [graphs._factories] if graphs else []
    before = [dict(table) for table in tables]
    yield
    for table, content in zip(tables, before, strict=True):
        table.clear()
        table.update(content)
