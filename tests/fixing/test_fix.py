"""From a model to the mended document: who is touched, what changes, and what is refused."""

import dataclasses
import math
import re
import shutil
import subprocess
from functools import partial

import pytest

import inertial_check as ic
import oracles
from fixing import (
    ENTRIES,
    distance,
    nearest_covariance,
    nearest_inertia,
    texts,
    urdf,
    without_numbers,
)
from inertial_check.documents.model import Number
from inertial_check.documents.source import Span
from inertial_check.errors import InertialCheckError, ParameterError, UsageError
from inertial_check.fixing import methods, request
from inertial_check.projection.exact import is_exact_tensor

fix_nearest = partial(ic.fix_model, method="nearest")

SOUND = ("0.02", "0", "0", "0.03", "0", "0.04")
BROKEN = ("0.0200", "0", "0", "0.0300", "0", "0.0511")  # 2 % off
WRONG = ("0.02", "0.001", "0", "0.03", "0", "0.08")  # 20 % off
HALF_DIGIT = ("0.0000029", "0", "0", "0.0000033", "0", "0.0000003")


def fixed(*bodies, encoding="utf-8", head='<?xml version="1.0"?>\n', rpy="0 0 0", **options):
    return fix_nearest(urdf(*bodies, head=head, rpy=rpy).encode(encoding), **options)


def statuses(fix):
    return {body.name: body.status for body in fix.bodies}


def test_safe_changes_are_made_and_large_ones_reported():
    fix = fixed(SOUND, BROKEN, WRONG, HALF_DIGIT)
    assert [body.status for body in fix.bodies] == ["unchanged", "fixed", "needs-unsafe", "fixed"]
    before, after = ic.load(fix.source.data), ic.load(fix.data)
    for old, new, body in zip(before.bodies, after.bodies, fix.bodies, strict=True):
        assert (texts(old) == texts(new)) == (body.status != "fixed")
    assert fix.changed
    assert not fix.complete
    assert fixed(SOUND, BROKEN, WRONG, HALF_DIGIT, unsafe=True).complete


def test_nothing_but_the_numbers_differs_and_all_bodies_are_mended(data_dir):
    fix = fix_nearest(data_dir / "arm.urdf", unsafe=True)
    assert without_numbers(fix.data) == without_numbers(fix.source.data)
    codes = {finding.code for finding in ic.check_model(fix.data).findings}
    assert codes.isdisjoint({"IC301", "IC302", "IC305"})
    assert not fix_nearest(fix.data, unsafe=True).changed


@pytest.mark.parametrize(
    ("name", "status"),
    [
        ("ic004-decimal-comma", "malformed"),
        ("ic004-missing-attribute", "malformed"),
        ("ic004-two-inertials", "malformed"),
        ("ic101-negative-mass", "negative-mass"),
        ("ic102-massless-with-inertia", "massless-with-inertia"),
        ("ic103-missing-inertial", "missing"),
        ("ic103-all-zero", "unchanged"),
        ("ic104-infinite", "non-finite"),
        ("ic104-not-a-number", "non-finite"),
        ("ic303-zero-inertia", "unchanged"),
        ("ic304-crumbs", "numerically-zero"),
        ("ic304-numerically-zero", "unchanged"),
        ("ic307-digits-lost", "digits-lost"),
    ],
)
def test_what_has_no_nearest_body_stays_byte_identical(data_dir, name, status):
    fix = fix_nearest(data_dir / "defects" / f"{name}.urdf", unsafe=True)
    body = next(body for body in fix.bodies if body.name == "body")
    assert body.status == status
    assert fix.data == fix.source.data
    assert fix.complete == (status in ("unchanged", "missing"))
    assert bool(body.reason) == (status != "unchanged")
    assert body.new is None


@pytest.mark.parametrize(
    "name",
    ["301-products", "301-triangle", "302-indefinite", "302-negative-diagonal", "305-rounding"],
)
def test_every_fixable_defect_is_fixed(data_dir, name):
    fix = fix_nearest(data_dir / "defects" / f"ic{name}.urdf", unsafe=True)
    assert statuses(fix)["body"] == "fixed"
    assert fix.complete


def test_valid_models_are_left_alone(data_dir):
    for path in sorted((data_dir / "valid").glob("*.urdf")):
        fix = fix_nearest(path, unsafe=True)
        assert not fix.changed, path
        assert fix.complete, path
        assert fix.diff() == ""


def test_a_tensor_without_nearest_is_never_written():
    fix = fixed(("-0.1", "0", "0", "-0.1", "0", "-0.1"), unsafe=True)
    assert statuses(fix) == {"link0": "no-nearest"}
    assert not fix.changed
    assert not fix.complete


def test_what_float32_cannot_hold_is_left_and_said():
    fix = fix_nearest(
        urdf(("1e40", "0", "0", "1e40", "0", "3e40"), mass="1e30").encode(), unsafe=True
    )
    assert statuses(fix) == {"link0": "not-representable"}
    assert not fix.changed


@pytest.mark.parametrize(
    ("metric", "oracle"), [("inertia", nearest_inertia), ("covariance", nearest_covariance)]
)
def test_the_nearest_in_the_numbers_own_axes(metric, oracle):
    fix = fixed(WRONG, rpy="0.3 -1.2 2.5", metric=metric, unsafe=True)
    (body,) = fix.bodies
    tensor = oracle([float(text) for text in WRONG])
    assert distance(body.new, tensor) < 1e-6
    assert oracles.is_consistent(texts(ic.load(fix.data).bodies[0]))
    expected = math.sqrt(
        sum(
            (a - b) ** 2 * (1 if k in (0, 3, 5) else 2)
            for k, (a, b) in enumerate(zip(body.old, body.new, strict=True))
        )
    )
    if metric == "inertia":
        assert body.distance == pytest.approx(expected, rel=1e-9)
        size = math.sqrt(0.02**2 + 2 * 0.001**2 + 0.03**2 + 0.08**2)
        assert body.relative_change == pytest.approx(expected / size, rel=1e-9)
    assert body.margin_before < 0 < body.margin < 1e-6


def test_the_reported_numbers_are_those_in_the_file():
    fix = fixed(BROKEN, WRONG, unsafe=True)
    for body, old, new in zip(
        fix.bodies, ic.load(fix.source.data).bodies, ic.load(fix.data).bodies, strict=True
    ):
        assert body.old == tuple(float(text) for text in texts(old))
        assert body.new == tuple(float(text) for text in texts(new))
        assert fix.data[new.inertial.I_BBcm_Bi["ixx"].span.start :].startswith(
            texts(new)[0].encode()
        )


def test_a_change_that_needs_unsafe_is_shown_all_the_same():
    (proposed,) = fixed(WRONG).bodies
    (done,) = fixed(WRONG, unsafe=True).bodies
    assert proposed.status == "needs-unsafe"
    assert proposed.new == done.new
    assert proposed.relative_change == done.relative_change
    assert "--unsafe" in proposed.reason


def test_max_change_is_the_border_of_safe():
    (body,) = fixed(WRONG).bodies
    assert statuses(fixed(WRONG, max_change=body.relative_change)) == {"link0": "fixed"}
    just_below = math.nextafter(body.relative_change, 0)
    assert statuses(fixed(WRONG, max_change=just_below)) == {"link0": "needs-unsafe"}
    assert statuses(fixed(WRONG, max_change=math.inf)) == {"link0": "fixed"}


@pytest.mark.parametrize("value", [-0.1, math.nan])
def test_a_max_change_that_is_none(value):
    with pytest.raises(UsageError, match="max-change"):
        fixed(WRONG, max_change=value)


@pytest.mark.parametrize("options", [{"metric": "weighted"}, {"margin": 0.5}, {"margin": -1}])
def test_a_metric_or_margin_that_is_none(options):
    with pytest.raises(ParameterError):
        fixed(WRONG, **options)


@pytest.mark.parametrize("margin", [0.01, 0.2, 1 / 3])
def test_the_margin_holds_exactly_after_writing(margin):
    fix = fixed(WRONG, margin=margin, unsafe=True)
    assert is_exact_tensor(fix.bodies[0].new, margin)
    assert fix.bodies[0].margin == pytest.approx(margin, abs=1e-6)


def test_tolerance_widens_what_counts_as_consistent():
    assert statuses(fixed(BROKEN, tolerance=0.1)) == {"link0": "unchanged"}
    assert statuses(fixed(BROKEN, tolerance=1e-4)) == {"link0": "fixed"}


def test_selection_by_name_and_by_id():
    document = (
        urdf(BROKEN, BROKEN, HALF_DIGIT).replace("link1", "link0").encode()
    )  # two of one name
    model = ic.load(document)
    assert [body.status for body in fix_nearest(model, bodies=["link0"]).bodies] == ["fixed"] * 2
    (only,) = fix_nearest(model, bodies=[model.bodies[1].id]).bodies
    assert only.id == model.bodies[1].id
    after = ic.load(fix_nearest(model, bodies=[only.id]).data)
    assert [
        texts(body) == texts(old) for body, old in zip(after.bodies, model.bodies, strict=True)
    ] == [True, False, True]
    with pytest.raises(UsageError, match="no body is called 'nobody'"):
        fix_nearest(model, bodies=["link0", "nobody"])


@pytest.mark.parametrize(
    ("select", "names"),
    [
        (["IC305"], {"link2"}),
        (["IC301"], {"link1"}),
        (["IC3"], {"link1", "link2"}),
        (["rounding-violation"], {"link2"}),
    ],
)
def test_selection_by_rule(select, names):
    fix = fixed(SOUND, BROKEN, HALF_DIGIT, select=select)
    assert set(statuses(fix)) == names
    assert set(statuses(fix).values()) == {"fixed"}


def test_selection_of_a_rule_that_does_not_exist():
    with pytest.raises(UsageError, match="IC999"):
        fixed(BROKEN, select=["IC999"])


@pytest.mark.parametrize(
    ("encoding", "head"),
    [
        ("utf-8", '<?xml version="1.0"?>\r\n<!-- é -->\r\n'),
        ("utf-8-sig", ""),
        ("latin-1", '<?xml version="1.0" encoding="ISO-8859-1"?>\n<!-- é -->\n'),
        ("utf-16", '<?xml version="1.0" encoding="UTF-16"?>\n<!-- é -->\n'),
    ],
)
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_encodings_and_line_ends_survive(encoding, head, end):
    text = urdf(SOUND, BROKEN, head=head).replace("\r\n", "\n").replace("\n", end)
    data = text.encode(encoding)
    fix = fix_nearest(data)
    assert statuses(fix) == {"link0": "unchanged", "link1": "fixed"}
    new = texts(ic.load(fix.data).bodies[1])
    expected = text.replace('izz="0.0511"', f'izz="{new[5]}"')
    head_part, tail = expected.rsplit('<inertia ixx="0.0200"', 1)
    expected = (
        head_part + f'<inertia ixx="{new[0]}"' + tail.replace('iyy="0.0300"', f'iyy="{new[3]}"')
    )
    assert fix.data == expected.encode(encoding)
    assert fix.diff().count("\n-") == 1
    assert "\r\n" in fix.diff() or end != "\r\n"


def test_a_tag_that_states_the_products_twice_stays_symmetric():
    six = dict(zip(ENTRIES, ("0.01", "0.002", "-3e-3", "0.02", "0.001", "0.07"), strict=True))
    tag = " ".join(
        f'{a}="{b}"'
        for a, b in (*six.items(), ("iyx", "0.0020"), ("izx", " -0.003 "), ("izy", "0.001"))
    )
    fix = fixed(tag, unsafe=True)
    body = ic.load(fix.data).bodies[0]
    assert not body.problems
    _, ixy, ixz, _, iyz, _ = texts(body)
    text = fix.data.decode()
    assert f'iyx="{ixy}" izx=" {ixz} " izy="{iyz}"' in text
    assert ixy != "0.002"


def test_a_product_that_is_stated_twice_and_differently_is_malformed():
    tag = 'ixx="0.01" ixy="0.002" ixz="0" iyy="0.02" iyz="0" izz="0.07" iyx="0.003"'
    fix = fixed(tag, unsafe=True)
    assert statuses(fix) == {"link0": "malformed"}
    assert not fix.changed


def test_a_span_that_hits_something_else_is_caught_by_reading_again():
    model = ic.load(urdf(SOUND, BROKEN).encode())
    first, second = model.bodies
    numbers = dict(second.inertial.I_BBcm_Bi)
    angle = model.source.data.index(b'rpy="0') + len('rpy="')
    numbers["izz"] = numbers["izz"]._replace(span=Span(angle, angle + 1))
    inertial = second.inertial._replace(I_BBcm_Bi=numbers)
    broken = dataclasses.replace(model, bodies=(first, second._replace(inertial=inertial)))
    with pytest.raises(InertialCheckError, match="more than the inertia of link0 would change"):
        fix_nearest(broken)


@pytest.mark.parametrize("izz", ["0.05000001", "1e-3", "-0.04"])
def test_numbers_that_are_no_body_are_caught_by_judging_again(monkeypatch, izz):
    wrong = ["0.02", "0", "0", "0.03", "0", izz]
    monkeypatch.setattr(methods, "print_nearest", lambda *_: wrong)
    with pytest.raises(InertialCheckError, match="link0 does not pass after writing"):
        fixed(BROKEN, unsafe=True)


@pytest.mark.parametrize("text", ["0.0_5", "٠.٠٥", "0.05f", "nan"])
def test_text_that_the_reader_does_not_take_for_that_number_is_caught(monkeypatch, text):
    texts_written = [*BROKEN[:5], text]
    monkeypatch.setattr(methods, "print_nearest", lambda *_: texts_written)
    monkeypatch.setattr(request, "float", lambda _: 0.05, raising=False)
    with pytest.raises(InertialCheckError, match="not fixed"):
        fixed(BROKEN, unsafe=True)


@pytest.mark.parametrize(("entry", "status"), [("ixx", "unwritten"), ("ixy", "fixed")])
def test_numbers_that_are_not_written_cannot_be_mended_unless_they_stay(entry, status):
    model = ic.load(urdf(BROKEN).encode())
    (body,) = model.bodies
    number = body.inertial.I_BBcm_Bi[entry]
    numbers = {**body.inertial.I_BBcm_Bi, entry: Number(number.value, number.text, None)}
    inertial = body.inertial._replace(I_BBcm_Bi=numbers)
    model = dataclasses.replace(model, bodies=(body._replace(inertial=inertial),))
    fix = fix_nearest(model, unsafe=True)
    assert statuses(fix) == {"link0": status}
    assert fix.changed == (status == "fixed")


# What is written, and shown


@pytest.fixture
def robot(tmp_path):
    path = tmp_path / "robot.urdf"
    path.write_bytes(urdf(SOUND, BROKEN, WRONG).encode())
    return path


def test_write_in_place(robot):
    fix = fix_nearest(robot)
    assert robot.read_bytes() == fix.source.data
    fix.write()
    assert robot.read_bytes() == fix.data
    again = fix_nearest(robot)
    assert not again.changed
    stamp = robot.stat().st_mtime_ns
    again.write()
    assert robot.stat().st_mtime_ns == stamp  # nothing to do is nothing done


def test_write_elsewhere_always_gives_a_file(robot, tmp_path):
    fix = fix_nearest(robot, bodies=["link0"])
    assert not fix.changed
    fix.write(tmp_path / "out.urdf")
    assert (tmp_path / "out.urdf").read_bytes() == robot.read_bytes()


@pytest.mark.parametrize("explicit", [False, True])
def test_a_file_that_changed_since_it_was_read_is_not_overwritten(robot, explicit):
    fix = fix_nearest(robot)
    robot.write_bytes(robot.read_bytes() + b"<!-- precious -->")
    kept = robot.read_bytes()
    with pytest.raises(UsageError, match="changed since it was read"):
        fix.write(robot if explicit else None)
    assert robot.read_bytes() == kept


def test_bytes_have_no_file_to_go_to():
    with pytest.raises(UsageError, match="name one to write to"):
        fixed(BROKEN).write()


@pytest.mark.skipif(shutil.which("git") is None, reason="needs git to apply a patch")
@pytest.mark.parametrize(
    "change",
    [
        lambda text: text,
        lambda text: text.rstrip("\n"),
        lambda text: text.replace("\n", "\r\n"),
        lambda text: text.replace("\n", "\r\n").rstrip("\r\n"),
        lambda text: text.replace("mass", "mass ", 1).replace("0.3", "0.3\f\u2028", 0),
        lambda text: text.replace("\n", " "),
    ],
)
def test_the_diff_is_a_patch(tmp_path, monkeypatch, change):
    monkeypatch.chdir(tmp_path)
    document = change(urdf(SOUND, BROKEN, WRONG, HALF_DIGIT)).encode()
    (tmp_path / "r.urdf").write_bytes(document)
    fix = fix_nearest("r.urdf", unsafe=True)
    (tmp_path / "r.patch").write_bytes(fix.diff().encode())
    subprocess.run(["git", "apply", "--whitespace=nowarn", "r.patch"], check=True, cwd=tmp_path)
    assert (tmp_path / "r.urdf").read_bytes() == fix.data


def test_a_line_of_the_diff_is_a_line_of_the_terminal():
    document = urdf(SOUND, BROKEN).replace("\n", "\r").encode()
    diff = fix_nearest(document).diff()
    assert "\r" not in diff
    assert re.search(r"^-.*0\.0511", diff, re.MULTILINE)


def test_the_diff_of_an_absolute_path_names_it_below_a_and_b(robot):
    first, second, *_ = fix_nearest(robot).diff().splitlines()
    assert first == f"--- a/{robot.as_posix().lstrip('/')}"
    assert second == f"+++ b/{robot.as_posix().lstrip('/')}"


@pytest.mark.parametrize(
    "change",
    [
        lambda text: "<!-- first -->\n" + text,  # a declaration after a comment
        lambda text: text.replace("<inertia ", "<gazebo:x/><inertia "),  # an undeclared prefix
        lambda text: text.replace('izz="0.0511"', "izz\t=\n'  0.0511 '"),
        lambda text: text.replace('izz="0.0511"', 'izz="0.05&#49;&#x31;"'),
        lambda text: text.replace("<inertia ", '<!-- <inertia izz="0.0511"/> --><inertia '),
        lambda text: text.replace('izz="0.0511"', 'izz="+.0511E0"'),
        lambda text: text + "\n\n<!-- after -- all -->",
    ],
)
def test_odd_but_readable_text_is_mended_where_it_stands(change):
    plain = urdf(BROKEN).encode()
    odd = change(urdf(BROKEN)).encode()
    assert odd != plain
    fix = fix_nearest(odd)
    assert statuses(fix) == {"link0": "fixed"}
    assert without_numbers(fix.data) == without_numbers(odd)
    expected = texts(ic.load(fix_nearest(plain).data).bodies[0])
    written = texts(ic.load(fix.data).bodies[0])
    assert [float(text) for text in written] == [float(text) for text in expected]


@pytest.mark.parametrize("metric", ["nearest", "weighted", 3])
def test_an_unknown_metric_is_refused_by_its_name(metric):
    with pytest.raises(ParameterError, match=f"metric is {metric!r}"):
        fixed(WRONG, metric=metric)
