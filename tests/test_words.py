"""Names and texts use the standard terms of the field, not words invented for this project."""

import re
from pathlib import Path

import pytest

import noctule

ROOT = Path(noctule.__file__).parents[2]
TERMS = {
    "adopt": "set the parent",
    "anew": "again, from scratch",
    "convoy": "batch",
    "convoys": "batch",
    "lending": "memory pool",
    "lookout": "turning point",
    "onward": "pruned successors",
    "shun": "block predicted cells",
    "taking_over": "warm start",
    "torn": "inconsistent",
    "twin": "snapshot",
    "waking": "warm-up",
    "webs": "graphs",
}
INVENTED = re.compile(rf"(?<![A-Za-z])({'|'.join(TERMS)})(?![A-Za-z])", re.IGNORECASE)
SOURCES = sorted(
    path
    for folder in ("src/noctule", "docs", "benchmarks", "tools", "examples")
    for path in (ROOT / folder).rglob("*")
    if path.suffix in (".py", ".md", ".toml")
)
SOURCES += [path for path in (ROOT / "README.md", ROOT / "CONTRIBUTING.md") if path.exists()]


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_words_are_standard_terms(path):
    lines = enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
    found = [(number, match[1]) for number, text in lines for match in INVENTED.finditer(text)]
    assert not found, [f"line {n}: {word}; say {TERMS[word.lower()]}" for n, word in found]


def test_words_are_found_in_names():
    assert INVENTED.search("self.taking_over = 1")
    assert INVENTED.search("_twin(cells)")
    assert not INVENTED.search("a shunt")
