"""Tables pass in blocks: the same bytes whatever the size, in bounded memory, and read again."""

import io
import json
import tracemalloc
from unittest import mock

import numpy as np
import pytest
import yaml

import inertial_check as ic
from inertial_check.documents.tables import open_table
from inertial_check.documents.tables.reading import TextBlock
from inertial_check.errors import DocumentError, InertialCheckError, ParameterError, UsageError
from inertial_check.fixing import tables as table_projection
from inertial_check.fixing.tables import TableRequest, project_table
from inertial_check.inertia import sampling
from inertial_check.inertia.representations import ORDERS, reorder
from inertial_check.projection import project as judging
from inertial_check.projection.metrics import Options
from inertial_check.projection.priors import from_body
from tables import npy, npz

NAMES = ["m", "hx", "hy", "hz", "ixx", "ixy", "ixz", "iyy", "iyz", "izz"]
COUNT = 37
OF_THE_TABLE = ("about", "order", "weights", "prior", "output_format")


@pytest.fixture(scope="module")
def theta():
    """Bodies and none, and a row that is not finite."""
    rng = np.random.default_rng(11)
    half = sampling.consistent(rng, COUNT // 2, strata=("solid", "round"), **SCALE).as_theta()
    rest = inconsistent(rng, COUNT - len(half))
    theta = np.concatenate([half, rest])[rng.permutation(COUNT)]
    theta[5, 7] = np.nan
    return theta


SCALE = {"mass": (0.1, 10.0), "length": (0.1, 1.0), "offset": (0.01, 1.0)}


def inconsistent(rng, count):
    kinds = ("triangle", "negative-moment")
    return sampling.inconsistent(rng, count, kinds=kinds, **SCALE).as_theta()


def labelled(theta):
    return [f"b {row}" for row in range(len(theta))]


def tables(theta, vector="hx hy hz"):
    """The same rows in every form, with the name of each."""
    names = [NAMES[0], *vector.split(), *NAMES[4:]]
    objects = [
        {"name": label, **dict(zip(names, row, strict=True))}
        for label, row in zip(labelled(theta), theta.tolist(), strict=True)
    ]
    lines = [",".join(["name", *names])]
    lines += [",".join(map(str, each.values())) for each in objects]
    matrices = theta[:, [4, 5, 6, 5, 7, 8, 6, 8, 9]].reshape(-1, 3, 3)
    role = "com" if vector.startswith("c") else "h"
    parts = {"mass": theta[:, 0], role: theta[:, 1:4], "inertia": matrices}
    return {
        "csv": "\r\n".join(lines).encode(),
        "json": json.dumps({"note": [1], "bodies": objects}, indent=1).encode(),
        "yaml": yaml.safe_dump(objects, sort_keys=False).encode(),
        "npz": npz(**parts, name=labelled(theta), other=np.arange(3)),
    }


def projected(data, block_rows=8192, **request):
    done = []
    target = io.BytesIO()
    own = {key: request.pop(key) for key in OF_THE_TABLE if key in request}
    request = TableRequest(**{"about": "origin", **own}, projection=Options(**request))
    summary = project_table(
        io.BytesIO(data), "t", target, request, done.append, block_rows=block_rows
    )
    return target.getvalue(), summary, done


def values(data, order=None):
    reader = open_table(io.BytesIO(data), "t", order)
    blocks = list(reader.blocks(1000))
    labels = [label for block in blocks for label in block.labels]
    return reader, np.concatenate([block.values for block in blocks]), labels


@pytest.mark.parametrize("form", ["csv", "json", "yaml", "npz"])
def test_the_same_bytes_whatever_the_size_of_the_blocks(theta, form):
    data = tables(theta)[form]
    whole, summary, done = projected(data)
    expected = ic.project(theta)
    np.testing.assert_array_equal(values(whole)[1], expected.theta)
    assert (summary.rows, summary.left) == (COUNT, 1)
    assert summary.moved == int(expected.changed.sum())
    assert summary.statuses == {
        "feasible": COUNT - summary.moved - 1, "projected": summary.moved, "no-nearest": 1,
    }  # fmt: skip
    for size in (1, 2, 3, 7, 36, 37, 38):
        again, other, parts = projected(data, size)
        assert again == whole
        assert (other.rows, other.moved, other.left) == (COUNT, summary.moved, 1)
        names = [part.name(row) for part in parts for row in range(len(part.block.values))]
        assert names == [done[0].name(row) for row in range(COUNT)]


@pytest.mark.parametrize("form", ["csv", "json", "yaml", "npz"])
def test_a_table_without_moving_rows_keeps_every_byte(theta, form):
    data = tables(ic.project(np.delete(theta, 5, axis=0)).theta)[form]
    out, summary, _ = projected(data)
    assert summary.moved == summary.left == 0
    if form == "npz":  # an archive states when and by what it was written
        old, new = np.load(io.BytesIO(data)), np.load(io.BytesIO(out))
        assert {name: old[name].tobytes() for name in old} == {n: new[n].tobytes() for n in new}
    else:
        assert out == data


@pytest.mark.parametrize("vector", ["hx hy hz", "cx cy cz"])
@pytest.mark.parametrize("output", ["csv", "json", "yaml", "npz"])
@pytest.mark.parametrize("form", ["csv", "json", "yaml", "npz"])
def test_every_form_becomes_every_other(theta, form, output, vector):
    rows = theta[:6]
    out, _, _ = projected(tables(rows, vector)[form], 4, output_format=output)
    same, _, _ = projected(tables(rows, vector)[form], 4)
    assert open_table(io.BytesIO(out), "t").format == output
    reader, found, labels = values(out)
    assert reader.layout.has_com == vector.startswith("c")
    assert reader.layout.named
    np.testing.assert_array_equal(found, values(same)[1])
    assert labels == labelled(rows)


@pytest.mark.parametrize("output", ["csv", "json", "yaml", "npz"])
def test_bare_numbers_get_their_names(theta, output):
    data = npy(reorder(theta, "urdf", "ksl"))
    out, _, _ = projected(data, order="ksl", output_format=output)
    np.testing.assert_array_equal(values(out)[1], ic.project(theta).theta)


def test_names_that_yaml_finds_hard_or_cannot_hold(theta):
    names = ['a "b" #: c', "é𝄞\x7f\x85\u2028", "", "- x", "null", "\ud83d"]
    rows = theta[:6]
    data = json.dumps([[name, *row] for name, row in zip(names, rows.tolist(), strict=True)])
    with pytest.raises(UsageError, match="is no UTF-8, which yaml has to be"):
        projected(data.encode(), order="urdf", output_format="yaml")
    data = json.dumps([[name, *row] for name, row in zip(names[:5], rows.tolist(), strict=False)])
    out, _, _ = projected(data.encode(), order="urdf", output_format="yaml")
    assert values(out)[2] == names[:5]
    assert [row["name"] for row in yaml.safe_load(out)] == names[:5]


def test_npy_has_no_names_for_columns(theta):
    with pytest.raises(UsageError, match="'npy': choose one of csv, json, yaml, npz"):
        projected(tables(theta)["csv"], output_format="npy")


class TestArrays:
    """What stays of npz and npy files."""

    def test_other_arrays_even_pickled_ones_are_kept_unread(self, theta):
        pickled = np.array([{"a": 1}], dtype=object)
        data = npz(theta=theta, x=np.arange(5), pickled=pickled)
        out, summary, _ = projected(data, order="urdf")
        assert summary.moved
        archive = np.load(io.BytesIO(out), allow_pickle=True)
        assert list(archive) == ["theta", "x", "pickled"]
        assert archive["x"].tolist() == list(range(5))
        assert archive["pickled"].tolist() == pickled.tolist()

    @pytest.mark.parametrize("make", [npy, lambda theta: npz(theta=theta)])
    @pytest.mark.parametrize("dtype", ["<f8", ">f8", "<f4", "<i8"])
    def test_the_type_stays_unless_it_cannot_hold_what_moved(self, theta, make, dtype):
        some = np.delete(theta, 5, axis=0)
        rows = (1e6 * some if dtype == "<i8" else some).astype(dtype)
        wide = rows.astype(float)
        out, summary, _ = projected(make(rows), order="urdf")
        found = np.load(io.BytesIO(out))
        found = found if isinstance(found, np.ndarray) else found["theta"]
        np.testing.assert_array_equal(found, ic.project(wide).theta)
        narrow = dtype in ("<f4", "<i8")
        assert found.dtype == ("<f8" if narrow else dtype)
        assert len(summary.notes) == narrow
        feasible = rows[~ic.project(wide).changed]
        kept = make(feasible)
        assert np.load(io.BytesIO(projected(kept, order="urdf")[0])) is not None
        assert projected(kept, order="urdf")[1].notes == ()

    def test_halves_of_a_matrix_that_differ_by_rounding_stay_in_rows_that_do_not_move(self, theta):
        rows = ic.project(np.delete(theta, 5, axis=0)).theta[:3].copy()
        rows[1, 4:] = theta[np.flatnonzero(ic.project(theta).changed)[0], 4:]
        matrices = rows[:, [4, 5, 6, 5, 7, 8, 6, 8, 9]].reshape(-1, 3, 3)
        matrices[:, 0, 1] = np.nextafter(matrices[:, 0, 1], np.inf)
        data = npz(mass=rows[:, 0], h=rows[:, 1:4], inertia=matrices)
        out, summary, _ = projected(data)
        found = np.load(io.BytesIO(out))["inertia"]
        assert summary.moved == 1
        assert found[[0, 2]].tobytes() == matrices[[0, 2]].tobytes()
        assert (found[1] == found[1].T).all()


SCALES = np.geomspace(1e-2, 1e3, 10)


def full(scales):
    rng = np.random.default_rng(3)
    factor = rng.normal(size=(10, 10)) / 10 + np.eye(10)
    return np.sqrt(scales)[:, None] * (factor @ factor.T) * np.sqrt(scales)


def per_row(theta):
    return np.outer(1 + np.arange(len(theta)), SCALES)


def csv(rows, names=()):
    lines = [",".join(names)] if len(names) else []
    return "\n".join([*lines, *(",".join(map(repr, row)) for row in np.atleast_2d(rows).tolist())])


def weight_files(theta):
    """What a file holds, and the weights that it means."""
    back = [*range(10)][::-1]
    return {
        "diagonal.npy": (npy(SCALES), SCALES),
        "row.npy": (npy(SCALES[None]), SCALES),
        "matrix.npz": (npz(weights=full(SCALES), other=SCALES), full(SCALES)),
        "rows.npy": (npy(per_row(theta)), per_row(theta)),
        "diagonal.csv": (csv(SCALES).encode(), SCALES),
        "named.csv": (csv(SCALES[back], np.array(NAMES)[back]).encode(), SCALES),
        "matrix.csv": (csv(full(SCALES)).encode(), full(SCALES)),
        "named-matrix.csv": (
            csv(full(SCALES)[:, back][back], np.array(NAMES)[back]).encode(), full(SCALES),
        ),
        "rows.json": (json.dumps(per_row(theta).tolist()).encode(), per_row(theta)),
        "diagonal.yaml": (yaml.safe_dump(SCALES.tolist()).encode(), SCALES),
    }  # fmt: skip


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize("name", weight_files(np.zeros((1, 10))))
def test_weights_arrive_as_project_takes_them(theta, folder, name):
    rows = np.delete(theta, 5, axis=0)
    data, weights = weight_files(rows)[name]
    (folder / name).write_bytes(data)
    expected = ic.project(rows, "weighted", weights=weights).theta
    for size in (4, 8192):
        out, _, _ = projected(tables(rows)["csv"], size, metric="weighted", weights=name)
        np.testing.assert_allclose(values(out)[1], expected, rtol=1e-9, atol=1e-12)


def test_a_matrix_or_ten_weights_for_every_row(theta, folder):
    """Ten rows of weights in a block are not taken for one matrix."""
    rows = np.delete(theta, 5, axis=0)[:20]
    matrices = np.stack([full(np.roll(SCALES, k)) for k in range(20)])
    for weights, size in ((matrices, 8), (per_row(rows), 10)):
        (folder / "w.npy").write_bytes(npy(weights))
        out, _, _ = projected(tables(rows)["csv"], size, metric="weighted", weights="w.npy")
        expected = ic.project(rows, "weighted", weights=weights).theta
        np.testing.assert_allclose(values(out)[1], expected, rtol=1e-9, atol=1e-12)


def test_bare_weights_go_by_the_sequence_of_the_columns(theta, folder):
    rows = theta[6:12]
    shuffle = [9, 0, 5, 3, 1, 2, 8, 4, 7, 6]
    data = csv(rows[:, shuffle], np.array(NAMES)[shuffle]).encode()
    expected = ic.project(rows, "weighted", weights=SCALES).theta
    for name, weights in (("w.csv", csv(SCALES[shuffle])), ("w.npy", npy(SCALES[shuffle]))):
        (folder / name).write_bytes(weights if isinstance(weights, bytes) else weights.encode())
        out, _, _ = projected(data, metric="weighted", weights=name)
        np.testing.assert_allclose(values(out)[1], expected, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("order", ORDERS)
def test_weights_with_names_meet_bare_numbers_in_their_order(theta, folder, order):
    rows = theta[6:12]
    (folder / "w.csv").write_text(csv(SCALES, NAMES))
    data = npy(reorder(rows, "urdf", order))
    out, _, _ = projected(data, order=order, metric="weighted", weights="w.csv")
    expected = ic.project(rows, "weighted", weights=SCALES).theta
    found = reorder(np.load(io.BytesIO(out)), order, "urdf")
    np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize(
    ("metric", "about"), [("prior", "origin"), ("entropic", "com"), ("affine-invariant", "origin")]
)
def test_priors_arrive(theta, folder, metric, about):
    rows = np.delete(theta, 5, axis=0)
    prior = from_body(rows, about=about, margin=0.1).as_theta(about=about)
    (folder / "one.csv").write_text(csv(prior[3], NAMES))
    (folder / "each.npy").write_bytes(npy(reorder(prior, "urdf", "mujoco")))
    bare = npy(reorder(rows, "urdf", "mujoco"))
    own = from_body(rows, about=about)
    for name, value in (("one.csv", prior[3]), ("each.npy", prior), ("self", own)):
        expected = ic.project(rows, metric, about=about, prior=value).theta
        out, _, _ = projected(bare, 7, order="mujoco", about=about, metric=metric, prior=name)
        found = reorder(np.load(io.BytesIO(out)), "mujoco", "urdf")
        np.testing.assert_allclose(found, expected, rtol=1e-7, atol=1e-10)


def test_regularization_least_mass_margin_and_solver_arrive(theta):
    data = tables(theta)["csv"]
    options = {"metric": "prior", "prior": "self"}
    light = np.array(theta[:1])
    light[0, :4] = -1.0, 0.0, 0.0, 0.0
    weightless = npy(light)
    out, summary, _ = projected(
        weightless, order="urdf", metric="pseudo-inertia", mass_min=0.25
    )  # fmt: skip
    assert np.load(io.BytesIO(out))[0, 0] == pytest.approx(0.25)
    assert summary.statuses["mass-floored"] == 1
    assert projected(data, margin=0.2)[0] != projected(data)[0]
    assert projected(data, solver="clarabel")[2][0].projection.solver == "clarabel"
    entropic = {**options, "metric": "entropic"}
    assert projected(data, **entropic)[0] != projected(data, **entropic, regularization=9.0)[0]


def test_a_row_that_is_no_prior_of_its_own_stays_alone(theta):
    plain = projected(tables(theta)["csv"], metric="prior", prior="self")[2][0].projection
    assert (plain.status == "no-nearest").sum() == 1
    bad = np.array(theta)
    bad[20, 0] = -1.0
    others = np.arange(len(theta)) != 20
    for size in (1, 7, 8192):
        _, summary, done = projected(tables(bad)["csv"], size, metric="prior", prior="self")
        assert summary.left == 2
        block = next(each for each in done if each.block.first + len(each.given) > 20)
        row = 20 - block.block.first
        assert block.describe(row) == (
            "no-nearest: a number is not finite or out of range, or its own prior or weights are "
            "none; left as it was"
        )
        found = np.concatenate([each.projection.theta for each in done])
        np.testing.assert_allclose(found[others], plain.theta[others], rtol=1e-12, atol=1e-15)


def test_what_cannot_be_certified_or_written_leaves_its_row_alone(theta):
    """A doubted answer, and one that the columns of the table cannot hold."""
    given = np.array(np.delete(theta, 5, axis=0))
    assert not projected(tables(given)["csv"], metric="euclidean")[1].left
    with mock.patch.object(judging, "CERTIFIED", 1e-300):
        out, summary, done = projected(tables(given)["csv"], metric="euclidean")
    assert summary.left == summary.statuses["uncertified"] > 0
    assert "no certified answer" in done[0].describe(int(np.flatnonzero(done[0].left)[0]))
    assert not done[0].moved.any()
    assert out == tables(given)["csv"]
    given[:, 1:4] /= given[:, :1]
    data = tables(given, "cx cy cz")["csv"]
    with mock.patch.object(table_projection, "check", lambda rows, **_: ic.check(-rows)):
        out, summary, done = projected(data, metric="euclidean")
    assert summary.rows == len(given)
    assert 0 < summary.statuses["uncertified"] == summary.left
    row = int(np.flatnonzero(done[0].left)[0])
    assert "give hx hy hz; left as it was" in done[0].describe(row)
    assert out.split(b"\r\n")[row + 1] == data.split(b"\r\n")[row + 1]


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"metric": "weighted"}, UsageError, "needs --weights FILE"),
        ({"metric": "prior"}, UsageError, "needs --prior FILE or --prior self"),
        ({"prior": "self"}, UsageError, "inertia takes no --prior: prior, weighted"),
        ({"metric": "prior", "prior": "self", "weights": "w"}, UsageError, "no --weights"),
        ({"metric": "nearest"}, UsageError, "'nearest'; choose one of inertia"),
        ({"metric": "weighted", "weights": "w", "about": "com"}, UsageError, "--about origin"),
        ({"metric": "weighted", "weights": "w"}, DocumentError, "^w: no such file"),
        (npy(np.ones(9)), DocumentError, r"^w: weights are float64 of shape \(9,\)"),
        (npy(np.ones((2, 3, 10))), DocumentError, r"shape \(2, 3, 10\)"),
        (npz(a=SCALES, b=SCALES), DocumentError, "^w: the archive has a, b; expected"),
        (npy(-SCALES), ParameterError, "^w: weights .*not positive semidefinite"),
        (npy(np.full(10, np.nan)), ParameterError, "^w: weights hold nan"),
        (npy(full(SCALES) + np.eye(10)[::-1] * 1e4), ParameterError, "^w: .*semidef"),
        (npy(full(SCALES) * np.arange(10)), ParameterError, "^w: .*not symmetric"),
        (b"1,2,3", DocumentError, "^w:1:1: 3 numbers"),
        (csv(SCALES, [*NAMES[:1], "cx", "cy", "cz", *NAMES[4:]]).encode(),
         DocumentError, "^w: weights act on the first moment"),
        (npy(np.ones((36, 10))), DocumentError, "rows: 36, and the table has more"),
        (npy(np.ones((38, 10))), DocumentError, "rows: more than the table"),
        (npy(np.eye(37, 10) - 1e-9), ParameterError, "^w: row 1: .*semidefinite"),
        (csv(np.ones((37, 10))).replace("1.0", "-1.0", 205).replace("-1.0", "1.0", 204)
              .encode(), ParameterError, "^w:21: row 21: .*semidefinite"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("size", [6, 8192])
def test_weights_that_are_none_are_named(theta, folder, options, error, message, size):
    if isinstance(options, bytes):
        (folder / "w").write_bytes(options)
        options = {"metric": "weighted", "weights": "w"}
    with pytest.raises(error, match=message):
        projected(tables(theta)["csv"], size, **options)


@pytest.mark.parametrize("size", [6, 8192])
def test_priors_that_are_none_are_named(theta, folder, size):
    prior = from_body(np.delete(theta, 5, axis=0)).as_theta()
    prior = np.concatenate([prior, prior[:1]])
    rows = [dict(zip(["name", *NAMES], ["p", *row], strict=True)) for row in prior.tolist()]
    rows[22]["izz"] *= -1
    cases = [
        (csv(prior[0], NAMES).replace(repr(float(prior[0, 0])), "-1.0"), "^p:2: row 1: prior is"),
        (json.dumps(rows, indent=1), r"^p:290: row 23 \[p\]: prior is not positive definite"),
        (csv(prior[:36], NAMES), "^p: rows: 36, and the table has more"),
        (csv(np.concatenate([prior, prior]), NAMES), "^p: rows: more than the table"),
        ("", "^p: the table has no rows"),
    ]
    for text, message in cases:
        (folder / "p").write_text(text)
        with pytest.raises((ParameterError, DocumentError), match=message):
            projected(tables(theta)["csv"], size, metric="prior", prior="p")


def test_a_centre_of_mass_follows_a_mass_that_moves(theta):
    given = np.array(np.delete(theta, 5, axis=0))
    given[:, 1:4] /= given[:, :1]
    data = tables(given, "cx cy cz")["csv"]
    out, summary, done = projected(data, metric="pseudo-inertia")
    assert summary.moved
    reader, found, _ = values(out)
    again = reader.layout.theta(found)
    np.testing.assert_allclose(again, done[0].projection.theta, rtol=1e-14, atol=1e-300)
    assert ic.check(again).consistent.all()
    assert projected(out, metric="pseudo-inertia")[0] == out


def test_what_does_not_read_back_the_same_is_not_written(theta, monkeypatch):
    for form, data in tables(theta).items():
        with monkeypatch.context() as patch:
            patch.setattr(TextBlock, "format_number", lambda self, value: f"{value:.12g}")
            patch.setattr(
                "inertial_check.documents.tables.nested._YamlBlock.format_number",
                TextBlock.format_number,
            )
            patch.setattr("inertial_check.documents.tables.writing.symmetric", lambda six: 0.0)
            with pytest.raises(InertialCheckError, match="does not read back the same"):
                projected(data)
        assert projected(data), form


@pytest.mark.parametrize("form", ["csv", "json", "yaml", "npy", "npz"])
def test_memory_does_not_grow_with_the_table(tmp_path, form, request, monkeypatch):
    block, few, many = 8192, 50_000, 200_000
    if not request.config.getoption("--long"):
        monkeypatch.setattr("inertial_check.documents.tables.reading._CHUNK", 2**13)
        block, few, many = 40, 1_000, 4_000
    if form == "yaml":  # every event counts while memory is traced
        block, few, many = block // 4, few // 4, many // 4
    rows = np.array(inconsistent(np.random.default_rng(2), 10))
    rows[1:] = ic.project(rows[1:]).theta
    peaks = [_peak(tmp_path / form, form, rows, count, block) for count in (few, many)]
    assert peaks[1] <= 2 * peaks[0]  # four times the rows


def _peak(path, form, rows, count, block):
    repeats = count // len(rows)
    lines = [", ".join(map(repr, row)) for row in rows.tolist()] * repeats
    array = np.tile(rows, (repeats, 1))
    data = {
        "csv": "\n".join(lines).encode(),
        "json": f"[[{'],[ '.join(lines)}]]".encode(),
        "yaml": "".join(f"- [{line}]\n" for line in lines).encode(),
        "npy": npy(array),
        "npz": npz(theta=array, extra=array),
    }
    path.write_bytes(data[form])
    with path.open("rb") as source, path.with_suffix(".out").open("w+b") as target:
        tracemalloc.start()
        try:
            project_table(source, "t", target, TableRequest("com", "urdf"), block_rows=block)
            return tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()
