"""Every published number names its source, and occurs there."""

import re

import pytest

from noctule.files import FileError
from noctule.studies.definition import BUILT_IN, load_study, read_study

LOG = "log in the author's public project, in no document: "
PLACE = re.compile(r"(figure|table) \d+|page \d+|section [A-Z]")
DOCUMENTS = {  # a part of their name in `source`, and of their text
    "Krafft (bachelor thesis, 2019)": "Bachelor-Thesis",
    "Krafft (master thesis, 2021)": "Optimisation of pathfinding in a dynamic 3D space",
    "Nash, Koenig, Tovey (SoCS 2010)": "We make the following observations",
    "Nash (nucl.ai, 2010)": "Any-Angle Path Planning for Smoother Trajectories",
    "Yu, Novitch (2020)": "Hang Yu, Lowell Novitch",
    "Nobes et al. (SoCS 2022)": "JPS-3D scan limit",
}
WORDS = {0.5: "half", 8: "eight times", 4: "four times", 0.92: "8%", 10: "order of magnitude"}

PUBLISHED = [(name, entry) for name in BUILT_IN for entry in load_study(name).published]


def where(entry):
    return f"{entry['value']} {entry['source']}"


@pytest.mark.parametrize(("study", "entry"), PUBLISHED, ids=lambda v: v if v in BUILT_IN else "")
def test_every_number_names_document_and_place(study, entry):
    source = entry["source"]
    if source.startswith(LOG):
        assert re.fullmatch(r"one run|mean of \d+ runs", source.removeprefix(LOG))
        assert "of the author" in entry["what"]
    else:
        assert PLACE.search(source), where(entry)
        assert any(source.startswith(document) for document in DOCUMENTS), where(entry)


@pytest.fixture(scope="session")
def documents(data):
    """The texts of the documents, by their name in `source`."""
    files = [*data.parent.glob("seeds/*.txt"), *data.glob("published/*.csv")]
    texts = [file.read_text() for file in files]
    texts = [
        t.replace(",", " ") if f.suffix == ".csv" else t for f, t in zip(files, texts, strict=True)
    ]
    found = {}
    for name, part in DOCUMENTS.items():
        matching = [text for text in texts if part in text]
        if not matching:
            pytest.skip(f"the text of {name} is not at {data.parent}")
        found[name] = matching[0]
    return found


def spellings(entry):
    """Ways in which a number may be written in a document."""
    value = entry["value"]
    if entry["measure"] == "reached":
        value = round(100 * value, 3)
    yield f"{value:.10g}"
    yield f"{value:,}"
    yield f"{value:.2f}"
    yield f"{100 * value:.0f} cm"
    yield f"{value / 1000:g}k"
    if value in WORDS:
        yield WORDS[value]
    if value in (1.08, 2):
        yield {1.08: "8%", 2: "twice"}[value]
        yield {1.08: "8%", 2: "factor of 2"}[value]


@pytest.mark.parametrize(("study", "entry"), PUBLISHED, ids=lambda v: v if v in BUILT_IN else "")
def test_every_number_is_in_its_document(study, entry, documents):
    named = [name for name in DOCUMENTS if name in entry["source"]]
    for text in documents.values() if not named else [documents[name] for name in named[-1:]]:
        there = any(
            re.search(rf"(?<![\d.,]){re.escape(number)}(?![\d]|[.,]\d)", text)
            for number in spellings(entry)
        )
        assert there == bool(named), where(entry)


def test_a_number_without_a_source_is_refused(tmp_path):
    file = tmp_path / "own.toml"
    file.write_text(
        '[[runs]]\nkind = "paths"\nalgorithm = "a*"\n'
        '[[published]]\nseries = "a*"\nmeasure = "length"\nvalue = 3\n'
    )
    with pytest.raises(FileError, match="published 1: source is missing"):
        read_study(file)
