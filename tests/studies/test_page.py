"""The output of a finished study."""

import contextlib
import csv
import io
import json
import re
from html.parser import HTMLParser

import pytest
from small_study import write

from noctule.cli import main


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    """The folder of a finished study, and its printed output."""
    folder = tmp_path_factory.mktemp("page")
    file = write(folder)
    text = io.StringIO()
    words = ["study", str(file), "--out", str(folder / "out"), "--jobs", "1", "--json"]
    with contextlib.redirect_stdout(text):
        assert main(words) == 0
    return folder / "out", text.getvalue()


@pytest.fixture
def out(finished):
    return finished[0]


class Links(HTMLParser):
    def __init__(self):
        super().__init__()
        self.found = []

    def handle_starttag(self, tag, attributes):
        self.found += [value for name, value in attributes if name in ("src", "href")]


def test_page_needs_nothing_else(out):
    page = (out / "index.html").read_text()
    links = Links()
    links.feed(page)
    assert links.found
    assert all(link.startswith("data:image/svg+xml;base64,") for link in links.found)


def test_page_has_published_ours_and_ratio(out):
    page = (out / "index.html").read_text()
    table = json.loads((out / "table.json").read_text())
    published = table["published"][0]
    assert published["ratio"] == published["ours"] / 123.25
    for text in ("123.25", f"{published['ours']:.2f}", f"{published['ratio']:.4g}"):
        assert text in page
    assert "It is invented." in page
    assert published["source"] == "Nobody (2000), figure 1"
    assert "Nobody (2000), figure 1" in page
    assert "not in this version" in page  # the series that was not run


def test_verdicts(out):
    verdicts = [s["verdict"] for s in json.loads((out / "table.json").read_text())["statements"]]
    assert verdicts == ["confirmed", "refuted", "not tested"]


def test_all_plots(out):
    for kind in ("bars", "frames", "bubbles", "scatter", "lines"):
        (png,) = out.glob(f"plot-*-{kind}.png")
        assert png.read_bytes().startswith(b"\x89PNG")
        svg = png.with_suffix(".svg").read_text()
        assert "<svg" in svg
        assert re.search("a\\*", svg), "algorithms are named"


def test_table_has_every_setting(out):
    rows = list(csv.DictReader((out / "table.csv").open()))
    lengths = [row for row in rows if row["measure"] == "length"]
    assert {row["algorithm"] for row in lengths} == {"a*", "theta*", "mt-d*-lite"}
    assert {row["seed"] for row in rows} == {"3"}
    assert all(float(row["low"]) <= float(row["mean"]) <= float(row["high"]) for row in lengths)
    conditions = json.loads((out / "table.json").read_text())["conditions"]
    assert conditions["calibration_ms"]["median"] > 0
    assert {"noctule", "python", "numpy", "numba", "cores"} <= set(conditions)


def test_laws(out):
    """Optimal searches agree in every frame and both directions; every path is verified."""
    rows = json.loads((out / "counted.json").read_text())["tasks"]
    lengths = {}
    for row in rows:
        assert all(row["counted"].get("verified", [1]))
        if row["task"]["kind"] == "replans":
            lengths.setdefault(row["task"]["run"], []).append(row["counted"]["length"])
    assert len(lengths) == 2
    for group in lengths.values():
        assert len(group) == 4
        assert all(other == pytest.approx(group[0]) for other in group)


def test_json(finished):
    out, text = finished
    values = json.loads(text)
    assert values["study"] == "small"
    assert values["folder"] == str(out)
    assert values["series"][0]["measures"]["reached"]["n"] == 3
