"""README and docs: links lead somewhere, commands are understood, Python is run as doctests."""

import importlib.util
import re
import shlex
from pathlib import Path

import pytest

import noctule as nt
from noctule.cli import COMMANDS, app

ROOT = Path(__file__).parents[2]


def module(file):
    """Return a module of the repository that is no part of the package."""
    spec = importlib.util.spec_from_file_location(Path(file).stem, ROOT / file)
    found = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(found)
    return found


documented = module("tools/documented_commands.py")
generated = module("docs/generated_pages.py")
links = module("tools/check_links.py")

PAGES = [*documented.documents(), ROOT / "CONTRIBUTING.md", ROOT / "benchmarks" / "README.md"]
MADE = ("gallery", "reference/generated", "reference/api", "reference/command-line")
TEXTS = documented.all_commands()
NOCTULE = [(text, where) for text, where in TEXTS.items() if re.search(r"(^|&& )noctule ", text)]


def outside_fences(text):
    return re.sub(r"^(`{3,}).*?^\1$", "", text, flags=re.MULTILINE | re.DOTALL)


def anchors(text):
    """Return the names of the headings of a page of Markdown."""
    titles = re.findall(r"^#+ (.+)$", outside_fences(text), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links(page):
    for link in re.findall(r"\]\(([^)\s]+)\)", outside_fences(page.read_text(encoding="utf-8"))):
        path, _, place = link.partition("#")
        if "://" in link:
            continue
        target = (page.parent / path).resolve() if path else page
        if made(target):
            continue
        assert target.exists(), link
        if place:
            assert place in anchors(target.read_text(encoding="utf-8")), link


def made(target):
    """Whether the build of the site writes this file."""
    docs = ROOT / "docs"
    return target.is_relative_to(docs) and target.relative_to(docs).as_posix().startswith(MADE)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_python_is_run(page):
    """Pytest runs what has prompts, so every block of Python has them."""
    for block in re.findall(r"^```python\n(.*?)^```", page.read_text("utf-8"), re.M | re.S):
        assert block.startswith(">>> "), block


@pytest.mark.parametrize(("command", "where"), NOCTULE)
def test_commands_are_understood(command, where):
    """Names and types of arguments are right, and no shell takes a name for a pattern."""
    words = shlex.split(command[command.index("noctule ") :])
    app.parse_args(words[1:], exit_on_error=False, print_error=False)
    bare = re.sub(r"'[^']*'|\"[^\"]*\"", "", command)
    assert not re.search(r"[*?\[\]{}]", bare), f"{where}: {command}"


def test_commands_are_collected():
    assert TEXTS["pip install '.[all]' && noctule fly"] == "README.md"
    assert documented.treatment("pip install '.[all]' && noctule fly") == ("noctule fly", "")
    run = [command for command in TEXTS if documented.treatment(command)[0]]
    assert len(run) >= 20


def test_readme():
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    assert text.count("\n") < 150
    assert "pip install '.[all]' && noctule fly" in text
    assert "pip install -e '.[test]' && pytest" in text


def test_reference_has_all_names():
    page = generated.api_page()
    assert set(re.findall(r"^   noctule\.(?:registry\.)?(\w+)$", page, re.M)) == set(nt.__all__)
    assert set(re.findall(r"^## noctule (\S+)$", generated.command_line_page(), re.M)) == set(
        COMMANDS
    )


def test_gallery():
    examples = sorted((ROOT / "examples" / "gallery").glob("plot_*.py"))
    assert len(examples) >= 15
    for example in examples:
        lines = example.read_text(encoding="utf-8").splitlines()
        assert lines[0] == '"""', example
        assert lines[2] == "=" * len(lines[1]), example


def test_citation():
    text = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    assert f"\nversion: {nt.__version__}\n" in text


def test_broken_links_are_found(tmp_path):
    (tmp_path / "a.html").write_text(
        '<a href="b.html#x"></a><a href="c.html"></a><img src="b.html">'
    )
    (tmp_path / "b.html").write_text('<p id="y"><a href="#y"></a><a href="https://nowhere"></a>')
    assert links.broken_links(tmp_path) == [
        "a.html: b.html#x: no such place",
        "a.html: c.html: no such file",
    ]
