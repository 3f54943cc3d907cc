"""Every built-in study from its file to its page, at a size that shows that it works.

Compiling all their searches takes minutes, so this runs when there is time: `--cases 1000`.
"""

import json

import pytest

from noctule.studies.definition import BUILT_IN, load_study
from noctule.studies.runner import RunOptions, run_study

FOLDERS = {"warframe": "warframe", "plane": "grid2d"}


@pytest.mark.parametrize("name", BUILT_IN)
def test_tiny(name, cases, request, tmp_path):
    if cases < 1000:
        pytest.skip("takes minutes; --cases 1000 runs it")
    study = load_study(name)
    maps = request.getfixturevalue("data") / FOLDERS[name] if name in FOLDERS else None
    report = run_study(study, tmp_path / "out", RunOptions("tiny", maps=maps), lambda *_: None, "")
    page = (tmp_path / "out" / "index.html").read_text()
    for entry in study.published:
        assert entry.get("what", "") in page.replace("&#x27;", "'")
    assert len(report.judged) == len(study.statements)
    rows = json.loads((tmp_path / "out" / "counted.json").read_text())["tasks"]
    assert all(all(row["counted"].get("verified", [1])) for row in rows)
