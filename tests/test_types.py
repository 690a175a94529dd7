"""The types of the public interface catch mistakes in the code of users."""

import re
import subprocess
import sys

import pytest

CORRECT = '''
"""A client that uses the package as documented."""

import numpy as np

import inertial_check as ic

theta = np.zeros((4, 10))
result: ic.Consistency = ic.check(theta, order="pinocchio", about="com")
if not result.consistent.all():
    nearest: ic.Projection = ic.project(theta, metric="covariance", margin=0.01)
    print(nearest.theta, nearest.distance)

body = ic.InertialParameters.from_theta(theta[0])
print(body.mass, ic.check(body).verdict)

report = ic.check_model("robot.urdf")
for file in report.files:
    for each in file.bodies:
        margin: float = each.judgement.margin
        print(each.name, each.judgement.verdict, margin)
    for finding in file.findings:
        print(finding.code, finding.severity.word, finding.message, finding.place.line)

model = ic.load("robot.urdf")
fix = ic.fix_model(model, margin=0.01)
data: bytes = fix.data
try:
    ic.check_model(model)
except (ic.DocumentError, ic.UsageError) as error:
    print(error)
'''

PLANTED = '''
"""A client whose marked lines are wrong, each with the code of the error that mypy reports."""

import numpy as np

import inertial_check as ic

theta = np.zeros((4, 10))
ic.project(theta, metric="nearest")  # error: arg-type
ic.project(theta, margins=0.01)  # error: call-arg
ic.check(theta, order="pinochio")  # error: arg-type
ic.check(theta, about="centre")  # error: arg-type
ic.check("robot.urdf")  # error: arg-type
ic.project(theta).closest  # error: attr-defined
ic.check("theta")  # error: arg-type
ic.check(theta, order="ros")  # error: arg-type
ic.check(theta, about="center")  # error: arg-type
ic.InertialParameters.from_com(1.0, "com", [1.0] * 6)  # error: arg-type
result = ic.check(theta)
result.margins  # error: attr-defined
wrong: ic.Projection = result  # error: assignment
ic.check()  # error: call-arg
report = ic.check_model("robot.urdf")
report.body  # error: attr-defined
report.files[0].bodies[0].judgement.margn  # error: attr-defined
name: int = report.files[0].bodies[0].name  # error: assignment
ic.check_model(3)  # error: arg-type
ic.check_models("robot.urdf").finding  # error: attr-defined
ic.load("robot.urdf").body  # error: attr-defined
ic.fix_model("robot.urdf").text  # error: attr-defined
'''


@pytest.fixture(scope="module")
def errors(tmp_path_factory, project_root):
    """What mypy --strict reports about the two clients: (file, line) -> code."""
    pytest.importorskip("mypy")
    folder = tmp_path_factory.mktemp("clients")
    (folder / "correct.py").write_text(CORRECT.lstrip())
    (folder / "planted.py").write_text(PLANTED.lstrip())
    command = [sys.executable, "-m", "mypy", "--strict", "--no-pretty", "--no-color-output"]
    done = subprocess.run(
        [*command, *(str(folder / name) for name in ("correct.py", "planted.py"))],
        cwd=project_root,  # its settings, under which the package is checked, and its cache
        capture_output=True,
        text=True,
        check=False,
    )
    found = re.findall(r"(\w+\.py):(\d+): error: .*\[([\w-]+)\]$", done.stdout, re.MULTILINE)
    assert done.returncode == 1, done.stdout + done.stderr
    assert len(found) == done.stdout.count(": error: "), done.stdout
    return {(name, int(line)): code for name, line, code in found}


def test_a_correct_client_has_no_error(errors):
    assert {place: code for place, code in errors.items() if place[0] == "correct.py"} == {}


def test_every_planted_mistake_is_an_error(errors):
    expected = {
        ("planted.py", number): line.rpartition("# error: ")[2]
        for number, line in enumerate(PLANTED.lstrip().splitlines(), 1)
        if "# error: " in line
    }
    assert {place: code for place, code in errors.items() if place[0] == "planted.py"} == expected
