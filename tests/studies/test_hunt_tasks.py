"""Tasks of kind `hunts`: games without a picture."""

import pytest

from noctule.studies.definition import load_study
from noctule.studies.hunt_tasks import hunt
from noctule.studies.task_options import check_available

TASK = {"kind": "hunts", "algorithm": "straight", "seed": 0, "run": 1, "seconds": 20.0}


def test_a_hunt_counts_what_happened_in_a_minute():
    result = hunt(TASK)
    counted = result["counted"]
    assert counted == hunt(TASK)["counted"]
    assert counted["expanded_run"] == [0]
    assert counted["travelled"][0] > 0.0
    assert counted["catches"] == [3.0 * len(counted["seconds"])]
    assert len(result["timed"]["plan_ms"]) == 1200


def test_algorithms_that_cannot_hunt_are_refused():
    check_available(TASK)
    with pytest.raises(ValueError, match="those that can hunt are"):
        check_available(TASK | {"algorithm": "safe-intervals"})


def test_the_study_compares_the_search_that_the_thesis_expected_to_win():
    study = load_study("lost-in-space")
    assert {"straight", "ad*", "lazy-theta*"} <= set(study.runs[0]["algorithm"]["full"])
