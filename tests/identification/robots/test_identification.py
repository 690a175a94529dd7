"""From files to identified bodies: known robots back, real robots as published, nothing silent."""

import json
from dataclasses import fields
from dataclasses import replace as replace_fields

import numpy as np
import pytest

import inertial_check as ic
import recorded
from inertial_check.checking.report import Severity
from inertial_check.errors import ParameterError, UsageError
from inertial_check.identification import options as asked
from inertial_check.identification.command import identify_robot
from inertial_check.identification.motion.recordings import STRETCHES, read_datasets
from inertial_check.identification.motion.signals import Smoothing
from inertial_check.identification.options import IdentifyOptions
from inertial_check.identification.robot import read_robot
from inertial_check.mechanics.equations import inverse_dynamics

ROBOT = str(recorded.ROBOT)
PLAIN = ("data", "model", "mass", "total_mass", "prior")
"""Options that belong to no group."""


def replace(options, **changes):
    """The options with some changed, which are named as on the command line, without groups."""
    for name, value in changes.items():
        groups = (each.name for each in fields(options) if each.name not in ("context", *PLAIN))
        if name in PLAIN:
            options = replace_fields(options, **{name: value})
        else:
            group = next(each for each in groups if hasattr(getattr(options, each), name))
            changed = replace_fields(getattr(options, group), **{name: value})
            options = replace_fields(options, **{group: changed})
    return options


def request(folder, arrays, **options):
    plain = IdentifyOptions(data=(recorded.written(folder, arrays),), model=ROBOT)
    return replace(plain, **options)


def robot_of(options):
    return read_robot(options.model, options.context, options.robot)


def test_the_recordings_are_those_that_their_script_writes():
    for name, (seed, duration) in recorded.GENERATOR.RECORDINGS.items():
        text = (recorded.ROBOT.parent / name).read_text(encoding="utf-8")
        expected = recorded.GENERATOR.recording(seed, duration)
        assert text.splitlines()[0] == expected.splitlines()[0]
        rows = [
            np.array([[float(cell) for cell in line.split(",")] for line in each.splitlines()[1:]])
            for each in (text, expected)
        ]
        np.testing.assert_allclose(*rows, rtol=0, atol=1.01e-3)  # a last digit of the torques


def test_the_truth_comes_back_where_the_data_decide_it(tmp_path):
    found = identify_robot(
        request(
            tmp_path,
            recorded.with_friction(seed=1, duration=40.0, noise=1.0),
            regularization=1.0,
        )
    ).found
    told = found.identifiability
    decided = told.share > 0.999
    assert decided.sum() >= 5
    z = (found.theta - recorded.TRUTH) / told.standard_deviation
    assert np.abs(z[decided]).max() < 4
    assert np.all(found.consistency.consistent)


def test_a_result_does_not_depend_on_the_unit_of_mass(tmp_path):
    data = recorded.with_friction(seed=1, noise=1.0)
    text = recorded.ROBOT.read_text()
    tree = ic.load(ROBOT)
    scaled = {**data, "tau": data["tau"] * 1e-6}
    model = tmp_path / "bead.urdf"
    edits = []
    for body in tree.bodies:
        if body.inertial is not None:
            numbers = [body.inertial.mass, *body.inertial.I_BBcm_Bi.values()]
            edits += [(n.span, repr(n.value * 1e-6)) for n in numbers if n.span is not None]
    data_bytes = text.encode()
    for span, new in sorted(edits, key=lambda each: -each[0].start):
        data_bytes = data_bytes[: span.start] + new.encode() + data_bytes[span.end :]
    model.write_bytes(data_bytes)
    one = identify_robot(request(tmp_path, data))
    other = identify_robot(replace(request(tmp_path, scaled), model=str(model)))
    np.testing.assert_allclose(other.found.theta, one.found.theta * 1e-6, rtol=1e-6, atol=1e-15)
    np.testing.assert_allclose(other.found.distance, one.found.distance, rtol=1e-5, atol=1e-8)


def test_the_held_out_samples_are_in_five_stretches(tmp_path):
    data = recorded.with_friction(seed=1, noise=1.0)
    asked_for = request(tmp_path, data, holdout=0.25)
    robot = robot_of(asked_for)
    runs = read_datasets(asked_for, robot)
    (train,), (kept,) = runs.train, runs.validation
    count = len(data["t"])
    assert len(train.recorded) + len(kept.recorded) == count
    assert len(kept.recorded) == 25 * STRETCHES
    seams = np.flatnonzero(np.diff(kept.motion.t) > 1.5 / 50)
    assert len(seams) == STRETCHES - 1
    assert kept.motion.t[-1] == data["t"][-1]
    assert not set(train.motion.t) & set(kept.motion.t)


def test_all_recordings_pass_the_filter_of_those_fitted(tmp_path):
    slow = {k: recorded.motion(seed=1)[k] for k in ("t", "q", "tau")}
    fast = dict(slow, t=slow["t"] / 1.5)
    coarse = {k: v[::4] for k, v in slow.items()}
    paths = [
        recorded.written(tmp_path, each, f"{i}.npz") for i, each in enumerate((slow, fast, coarse))
    ]
    one = replace(IdentifyOptions(data=(paths[0],), model=ROBOT), validation=(paths[1],))
    robot = robot_of(one)
    cutoffs = [
        [run.motion.cutoff for run in (*runs.train, *runs.validation)]
        for runs in (
            read_datasets(one, robot),
            read_datasets(replace(one, data=tuple(paths[:2]), validation=()), robot),
            read_datasets(replace(one, data=tuple(paths[1:]), validation=()), robot),
        )
    ]
    assert cutoffs[0][0] == cutoffs[0][1] < cutoffs[1][0]
    assert cutoffs[1][0] == cutoffs[1][1]
    assert cutoffs[2] == [0.5 * 12.5 / 2] * 2


def test_signals_that_are_complete_pass_as_they_are_unless_asked(tmp_path):
    data = recorded.motion(seed=1)
    plain = request(tmp_path, data)
    robot = robot_of(plain)
    motion = read_datasets(plain, robot).train[0].motion
    np.testing.assert_array_equal(motion.du, data["qdd"])
    filtered = read_datasets(replace(plain, smoothing=Smoothing(cutoff=5.0)), robot).train[0].motion
    assert len(filtered) < len(motion)
    assert filtered.cutoff == 5.0


def test_gravity_is_where_it_is_said_to_be(tmp_path):
    _, q, u, du = recorded.GENERATOR.motion(1, 10.0)
    sideways = (0.0, 6.0, -2.0)
    tau = inverse_dynamics(recorded.TREE, q, u, du, gravity=sideways)
    data = {"q": q, "qd": u, "qdd": du, "tau": tau}
    right = identify_robot(request(tmp_path, data, friction=(), gravity=sideways))
    wrong = identify_robot(request(tmp_path, data, friction=()))
    assert right.report.fits[0].joints[1].after < 1e-4 * right.report.fits[0].joints[1].rms
    assert wrong.report.fits[0].joints[1].after > 0.05 * wrong.report.fits[0].joints[1].rms


def test_known_masses_are_kept(tmp_path):
    data = recorded.with_friction(seed=1, noise=1.0)
    found = identify_robot(
        request(tmp_path, data, mass={"forearm": 1.45}, total_mass=(7.95, 0.0))
    ).found
    np.testing.assert_allclose(found.theta[2, 0], 1.45, rtol=1e-9)
    np.testing.assert_allclose(found.theta[:, 0].sum(), 7.95, rtol=1e-9)


def test_a_better_prior_is_another_models(tmp_path):
    data = recorded.with_friction(seed=1, noise=1.0)
    first = identify_robot(request(tmp_path, data))
    first.fix().write(tmp_path / "better.urdf")
    again = identify_robot(request(tmp_path, data, prior=str(tmp_path / "better.urdf")))
    np.testing.assert_allclose(again.found.prior, first.found.theta, rtol=1e-6, atol=1e-8)
    assert again.found.distance.max() < first.found.distance.max()
    assert again.report.prior.endswith("better.urdf")


def test_the_prior_from_geometry_keeps_the_masses(tmp_path):
    data = recorded.with_friction(seed=1, noise=1.0)
    found = identify_robot(request(tmp_path, data, prior="geometry")).found
    np.testing.assert_allclose(found.prior[:, 0], [3.0, 2.5, 1.2])
    expected = 2.5 * (0.05**2 / 4 + 0.4**2 / 12) + 2.5 * 0.2**2  # a full cylinder
    np.testing.assert_allclose(found.prior[1, 4], expected, rtol=1e-12)


def test_a_point_mass_is_given_a_radius_and_a_line(tmp_path):
    text = recorded.ROBOT.read_text()
    point = text.replace(
        '<inertia ixx="0.0095" ixy="0" ixz="0" iyy="0.0095" iyz="0" izz="0.00096"/>',
        '<inertia ixx="0" ixy="0" ixz="0" iyy="0" iyz="0" izz="0"/>',
    )
    (tmp_path / "point.urdf").write_text(point)
    data = recorded.with_friction(seed=1, noise=1.0)
    wanted = replace(request(tmp_path, data), model=str(tmp_path / "point.urdf"))
    found = identify_robot(wanted)
    radii = np.sqrt(np.trace(found.found.parameters.inertia_com, axis1=1, axis2=2))
    assert np.all(radii > 0)
    (line,) = [each.message for each in found.report.remarks if each.kind == "prior-radius"]
    assert line.endswith("m: forearm")


def test_a_prior_that_no_body_has_is_told(tmp_path):
    text = recorded.ROBOT.read_text().replace('izz="0.0031"', 'izz="0.31"')
    (tmp_path / "bad.urdf").write_text(text)
    data = recorded.with_friction(seed=1, noise=1.0)
    found = identify_robot(replace(request(tmp_path, data), model=str(tmp_path / "bad.urdf")))
    (remark,) = [each for each in found.report.remarks if each.kind == "prior-inconsistent"]
    assert remark.severity is Severity.WARNING
    assert "upper_arm" in remark.message
    assert found.report.bodies[1].prior_moved
    assert found.fix().complete


def test_a_body_without_mass_on_a_joint_is_told(tmp_path):
    text = recorded.ROBOT.read_text()
    start = text.index("<inertial>", text.index('name="shoulder"'))
    end = text.index("</inertial>", start) + len("</inertial>")
    (tmp_path / "bare.urdf").write_text(text[:start] + text[end:])
    data = recorded.with_friction(seed=1, noise=1.0)
    report = identify_robot(
        replace(request(tmp_path, data), model=str(tmp_path / "bare.urdf"))
    ).report
    assert ("shoulder", "without mass") in report.left
    assert [each.kind for each in report.remarks if each.severity is Severity.WARNING][:1]
    assert "no-inertia" in [each.kind for each in report.remarks]


def test_a_pure_frame_is_no_warning(tmp_path):
    report = identify_robot(request(tmp_path, recorded.with_friction(seed=1, noise=1.0))).report
    assert report.left == (("base_link", "no joint moves it"), ("tool0", "without mass"))
    assert "no-inertia" not in [each.kind for each in report.remarks]


def test_standard_deviations_count_independent_samples_only(tmp_path):
    rng = np.random.default_rng(0)
    _, q, u, du = recorded.GENERATOR.motion(1, 20.0, 200.0)
    tau = inverse_dynamics(recorded.TREE, q, u, du) + recorded.GENERATOR.VISCOUS * u
    values, deviations = [], []
    for _ in range(12):
        noisy = tau + rng.normal(size=tau.shape) * [0.4, 0.6, 0.3]
        data = {"t": np.arange(len(q)) / 200.0, "q": q, "qd": u, "tau": noisy}
        how = request(tmp_path, data, friction=("viscous",), smoothing=Smoothing(cutoff=5.0))
        friction = identify_robot(how).report.friction
        values.append([each.value for each in friction])
        deviations.append([each.standard_deviation for each in friction])
    ratio = np.std(values, axis=0, ddof=1) / np.mean(deviations, axis=0)
    assert np.all((ratio > 0.5) & (ratio < 1.7))  # without it, 4


@pytest.mark.parametrize("options", [{"loss": "huber"}, {"regularization": "k-fold"}])
def test_what_goes_through_the_samples_again_sees_all_recordings(tmp_path, options):
    data = recorded.with_friction(seed=1, noise=1.0)
    whole = request(tmp_path, data, **options)
    parts = [
        recorded.written(tmp_path, {k: v[part] for k, v in data.items()}, f"{i}.npz")
        for i, part in enumerate((slice(0, 130), slice(130, None)))
    ]
    one, two = (identify_robot(each) for each in (whole, replace(whole, data=tuple(parts))))
    assert two.found.regularization == pytest.approx(one.found.regularization)
    np.testing.assert_allclose(two.found.theta, one.found.theta, rtol=1e-5, atol=1e-8)


@pytest.mark.parametrize("rule", ["k-fold", "l-curve"])
def test_the_choice_of_the_weight_is_shown(tmp_path, rule):
    data = recorded.with_friction(seed=1, noise=1.0)
    report = identify_robot(request(tmp_path, data, regularization=rule)).report
    chosen = [each.weight for each in report.weighings if each.chosen]
    assert chosen == [report.regularization]
    assert any(each.kind == "weight" for each in report.remarks)
    assert all(np.isnan(each.error) for each in report.weighings) is (rule == "l-curve")


def test_huber_forgives_a_collision(tmp_path):
    data = recorded.with_friction(seed=1, noise=1.0)
    clean = identify_robot(request(tmp_path, data, regularization=1.0)).found.theta
    data["tau"][100:110] += 40.0
    squares, huber = (
        identify_robot(request(tmp_path, data, loss=loss, regularization=1.0)).found
        for loss in ("squares", "huber")
    )
    off = [np.linalg.norm(found.theta - clean) for found in (squares, huber)]
    assert off[1] < 0.2 * off[0]
    assert squares.lighter is None  # the weight was given


def test_remarks_stand_worst_first(tmp_path):
    data = recorded.with_friction(seed=1, duration=4.0, noise=1.0)
    data["tau"] = -data["tau"]
    severities = [each.severity for each in identify_robot(request(tmp_path, data)).report.remarks]
    assert severities == sorted(severities, reverse=True)
    assert severities[0] is Severity.ERROR


@pytest.mark.parametrize(
    ("parse", "text", "expected"),
    [
        (asked.read_terms, ["coulomb", "viscous"], ("viscous", "coulomb")),
        (asked.read_terms, ["none"], ()),
        (asked.read_scales, "2", dict.fromkeys(asked.FRICTION_TERMS, 2.0)),
        (asked.read_scales, "rotor=3,viscous=1e-3", {"viscous": 1e-3, "rotor": 3.0}),
        (asked.read_positions, ["a", "b=0.5", "c=d=1"], {"a": 0.0, "b": 0.5, "c=d": 1.0}),
        (asked.read_masses, ["tool=0.2"], {"tool": 0.2}),
        (asked.read_total_mass, "12", (12.0, 0.0)),
        (asked.read_total_mass, "12:0.1", (12.0, 0.1)),
        (asked.read_couplings, ["a, b"], (("a", "b"),)),
    ],
)
def test_texts_of_options(parse, text, expected):
    assert parse(text) == expected


@pytest.mark.parametrize(
    ("parse", "text"),
    [
        (asked.read_terms, ["none", "viscous"]),
        (asked.read_scales, "viscous=inf"),
        (asked.read_scales, "viscous"),
        (asked.read_positions, ["=1"]),
        (asked.read_positions, ["a=b"]),
        (asked.read_masses, ["tool"]),
        (asked.read_masses, ["tool=0"]),
        (asked.read_total_mass, "heavy"),
        (asked.read_total_mass, "-1"),
        (asked.read_couplings, ["a,a"]),
    ],
)
def test_texts_of_options_that_say_nothing(parse, text):
    with pytest.raises(UsageError, match="--"):
        parse(text)


def test_a_prior_without_a_body_names_it(tmp_path):
    other = recorded.ROBOT.read_text().replace('"forearm"', '"lower_arm"')
    (tmp_path / "other.urdf").write_text(other)
    data = recorded.with_friction(seed=1, noise=1.0)
    with pytest.raises(ParameterError, match=r"no body 'forearm'.*lower_arm"):
        identify_robot(request(tmp_path, data, prior=str(tmp_path / "other.urdf")))


def test_coulomb_friction_passes_the_filter_of_the_torques(tmp_path):
    t, q, u, du = recorded.GENERATOR.motion(1, 20.0, 200.0)
    tau = inverse_dynamics(recorded.TREE, q, u, du) + 2.0 * np.sign(u)
    wanted = request(
        tmp_path, {"t": t, "q": q, "qd": u, "tau": tau}, smoothing=Smoothing(cutoff=3.0)
    )
    outcome = identify_robot(replace(wanted, friction=("coulomb",), coupling=(("2", "bend"),)))
    rms = [joint.after for joint in outcome.report.fits[0].joints]
    assert max(rms) < 0.02  # columns that jump leave 0.1 and more
    friction = {each.name: each.value for each in outcome.report.friction}
    np.testing.assert_allclose([friction[f"fc{k}"] for k in (1, 2, 3)], 2.0, rtol=0.02)
    assert abs(friction["fsm3"]) < 0.05
    held = identify_robot(replace(wanted, friction=("coulomb",), holdout=0.2)).report
    assert max(joint.after for joint in held.fits[1].joints) < 0.03


def test_torques_that_come_late_are_moved_back(tmp_path):
    t, q, u, du = recorded.GENERATOR.motion(1, 20.0, 200.0)
    tau = inverse_dynamics(recorded.TREE, q, u, du)
    late = np.stack([np.interp(t - 0.03, t, column) for column in tau.T], axis=1)
    wanted = request(tmp_path, {"t": t, "q": q, "qd": u, "qdd": du, "tau": late}, friction=())
    fits = [
        identify_robot(replace(wanted, delay=delay)).report.fits[0].joints for delay in (0.0, 0.03)
    ]
    assert all(b.after < 0.1 * a.after for a, b in zip(*fits, strict=True))


GAIN = (14.87, 13.26, 11.13, 10.62, 11.03, 11.47)
"""Of the UR10e's drives [N m/A]."""


def raw(datasets, folder, name):
    """A recording of currents, as an npz that has them as torques."""
    held = np.load(datasets / "ur10e" / f"{name}.npz")
    arrays = {"t": held["t"], "q": held["q"], "qd": held["qd"], "tau": held["current"]}
    return recorded.written(folder, arrays, f"{name}.npz")


def test_no_body_goes_to_the_edge_where_a_heavier_prior_explains_as_much(datasets):
    """The bug: by default settings five of six links of a real arm were flat, and none written."""
    data = (str(datasets / "tx40" / "trajectory.npz"),)
    wanted = replace(
        IdentifyOptions(data=data, model=str(datasets / "tx40" / "tx40.urdf")),
        holdout=0.3,
        friction=("viscous", "coulomb", "offset", "rotor"),
        coupling=(("joint_5", "joint_6"),),
    )
    outcome = identify_robot(wanted)
    found, first = outcome.found, outcome.found.lighter
    assert np.sum(first.consistency.margin < 1e-6) == 5
    assert np.all(found.consistency.margin > 0.01)
    assert found.weighted_rms < 1.01 * first.weighted_rms
    _, validation = outcome.report.fits
    other = outcome.datasets.validation[0].reduction
    assert validation.weighted < np.sqrt(other.weighted_mean_square(first.weights, first.si))
    (note,) = [own for own in outcome.report.remarks if own.kind == "weight"]
    assert "with which no body goes to the edge" in note.message
    assert not [own for own in outcome.report.remarks if own.kind == "edge"]


def test_a_real_arm_from_its_raw_recordings(datasets, tmp_path):
    baseline = json.loads((datasets / "baseline.json").read_text())["ur10e"]["rows"]
    (row,) = [each for each in baseline if each["method"] == "consistent, lambda=1"]
    (prior,) = [each for each in baseline if each["method"].startswith("prior")]
    outcome = identify_robot(
        replace(
            IdentifyOptions(
                data=(raw(datasets, tmp_path, "train_50s12h"),),
                model=str(datasets / "ur10e" / "ur10e.urdf"),
            ),
            validation=tuple(raw(datasets, tmp_path, name) for name in row["val"]),
            gain=GAIN,
            friction=("viscous", "coulomb", "offset", "rotor"),
        )
    )
    train, *validation = outcome.report.fits
    # Coulomb friction passes the filter here, so all are better than published.
    assert np.all(np.array([own.after for own in train.joints]) < row["train_rmse"])
    before = np.array([own.before for own in train.joints])
    assert np.all(before < 1.01 * np.array(prior["train_rmse"]))  # at another cut-off
    for fit, published in zip(validation, row["val"].values(), strict=True):
        assert np.all(np.array([own.after for own in fit.joints]) < published["rmse"])
    assert outcome.found.lighter is None  # off the edge, the prior would contradict the data
    (edge,) = [each for each in outcome.report.remarks if each.kind == "edge"]
    assert ": link_2, link_5;" in edge.message
    assert row["total_mass"] < outcome.report.total_mass < outcome.report.prior_mass
    assert {body.verdict for body in outcome.report.bodies} <= {"consistent", "boundary"}
    assert outcome.report.certificate.gap <= 1e-9
    assert not outcome.report.count(Severity.ERROR)
    assert outcome.report.left == (("base_link", "without mass"),)
    outcome.fix().write(tmp_path / "identified.urdf")
    assert ic.check_model(tmp_path / "identified.urdf").count(Severity.ERROR) == 0


def test_a_robot_that_only_the_cone_holds_is_flagged(datasets, tmp_path):
    outcome = identify_robot(
        replace(
            IdentifyOptions(
                data=(str(datasets / "ur10e" / "ref" / "train_50s12h.npz"),),
                model=str(datasets / "ur10e" / "ur10e.urdf"),
            ),
            friction=("viscous", "coulomb", "offset", "rotor"),
            regularization=1e-6,
        )
    )
    kinds = [each.kind for each in outcome.report.remarks]
    assert kinds.count("unsupported") >= 5
    assert "edge" in kinds
    assert max(body.distance for body in outcome.report.bodies) > 100
    assert sum(len(body.unsupported) for body in outcome.report.bodies) > 20


MJCF = """<mujoco model="arm">
  <compiler angle="radian"/>
  <worldbody>
    <body name="base_link">
      <inertial pos="0 0 0.05" mass="4" diaginertia="0.0133 0.0133 0.02"/>
      <body name="shoulder" pos="0 0 0.1">
        <joint name="turn" type="hinge" axis="0 0 1"/>
        <inertial pos="0 0 0.08" mass="3" fullinertia="0.0091 0.0091 0.0054 0 0 0"/>
        <body name="upper_arm" pos="0 0.08 0.16">
          <joint name="lift" type="hinge" axis="0 1 0"/>
          <inertial pos="0 0 0.2" mass="2.5" fullinertia="0.0349 0.0349 0.0031 0 0 0"/>
          <body name="forearm" pos="0 -0.06 0.4">
            <joint name="bend" type="hinge" axis="0 1 0"/>
            <inertial pos="0 0 0.15" mass="1.2" fullinertia="0.0095 0.0095 0.00096 0 0 0"/>
          </body>
        </body>
      </body>
    </body>
  </worldbody>
</mujoco>
"""


def test_the_format_of_the_robot_does_not_matter(tmp_path):
    (tmp_path / "arm.xml").write_text(MJCF)
    data = {**recorded.with_friction(seed=1, noise=1.0), "joints": np.array(recorded.JOINTS)}
    urdf = request(tmp_path, data)
    one, other = (
        identify_robot(replace(urdf, model=m)) for m in (ROBOT, str(tmp_path / "arm.xml"))
    )
    np.testing.assert_allclose(other.found.theta, one.found.theta, rtol=1e-6, atol=1e-9)
    fix = other.fix()
    assert fix.complete
    fix.write(tmp_path / "out.xml")
    written = [body.judgement for body in ic.check_model(tmp_path / "out.xml").files[0].bodies]
    np.testing.assert_allclose([own.mass for own in written[1:]], other.found.theta[:, 0])
    assert {own.verdict for own in written} == {"consistent"}


def test_joints_that_share_a_gear_are_named(tmp_path):
    data = recorded.with_friction(seed=4, noise=1.0)
    u = np.gradient(data["q"], data["t"], axis=0)
    data["tau"][:, [1, 2]] += 0.8 * u[:, [2, 1]]
    options = request(tmp_path, data)
    told = {each.kind: each.message for each in identify_robot(options).report.remarks}
    assert "--coupling=lift,bend" in told["coupled"]
    geared = replace(options, coupling=(("lift", "bend"),))
    assert "coupled" not in {each.kind for each in identify_robot(geared).report.remarks}
