"""docs/ci/gitlab-ci.yml: the job's script runs, and leaves the reports that it declares."""

import json
import os
import shutil
from xml.etree import ElementTree

import pytest
import yaml

from processes import captured

pytestmark = pytest.mark.skipif(
    os.name == "nt" or shutil.which("bash") is None, reason="runs the script under bash"
)


@pytest.fixture(scope="module")
def job(project_root):
    text = (project_root / "docs" / "ci" / "gitlab-ci.yml").read_text(encoding="utf-8")
    (job,) = yaml.safe_load(text).values()
    return job


def run(job, folder, **variables):
    script = "\n".join(job["script"])
    return captured(
        ["bash", "-eo", "pipefail", "-c", script],
        cwd=folder,
        env={**os.environ, **job["variables"], **variables},
    )


@pytest.mark.usefixtures("on_path")
def test_the_job_fails_on_findings_and_leaves_its_reports(job, robots):
    done = run(job, robots.parent)
    assert done.returncode == 1
    assert "robots/broken.urdf:38:51: error IC301" in done.stdout
    reports = job["artifacts"]["reports"]
    quality = json.loads((robots.parent / reports["codequality"]).read_text())
    assert {each["location"]["path"] for each in quality} == {"robots/broken.urdf"}
    junit = ElementTree.parse(robots.parent / reports["junit"])
    assert {case.get("name") for case in junit.iter("testcase")} >= {"forearm", "wrist_2"}


@pytest.mark.usefixtures("on_path")
def test_the_job_passes_on_sound_models(job, robots):
    done = run(job, robots.parent, INERTIAL_CHECK_PATHS="robots/sound.urdf")
    assert done.returncode == 0, done.stderr


def test_reports_are_kept_of_failing_jobs_too(job):
    assert job["artifacts"]["when"] == "always"
