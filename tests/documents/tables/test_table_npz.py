"""Tables as NumPy arrays: roles of the arrays, pieces, and that nothing is unpickled."""

import io
import zipfile

import numpy as np
import pytest

from inertial_check.errors import DocumentError, UsageError
from tables import Whole, npy, npz

THETA = np.arange(1.0, 41.0).reshape(4, 10)
SIX = THETA[:, 4:]
MATRICES = SIX[:, [[0, 1, 2], [1, 3, 4], [2, 4, 5]]]
PARTS = {"mass": THETA[:, 0], "first_moment": THETA[:, 1:4]}


@pytest.mark.parametrize("rows", [1, 3, 1000])
@pytest.mark.parametrize(
    ("data", "named"),
    [
        (npy(THETA), False),
        (npy(np.asfortranarray(THETA)), False),
        (npy(THETA.astype(">f4")), False),
        (npy(THETA.astype(np.int16)), False),
        (npz(theta=THETA, other=np.array(3)), False),
        (npz(**PARTS, inertia=SIX), False),
        (npz(**PARTS, inertia=MATRICES), True),
        (npz(m=PARTS["mass"], h=PARTS["first_moment"], inertia=MATRICES), True),
        (npz(**PARTS, inertia=np.asfortranarray(MATRICES)), True),
    ],
)
def test_arrays_are_read_in_pieces(data, named, rows):
    table = Whole(data, "mujoco", rows)
    assert table.named == named
    assert table.order == ("urdf" if named else "mujoco")
    assert table.theta.tolist() == THETA.tolist()
    assert table.labels == (None,) * 4
    assert table.lines == [None] * 4
    assert len(table.blocks[0].values) == min(rows, 4)


def test_a_centre_of_mass_and_names():
    com = PARTS["first_moment"] / 2
    for names in (["a", "é", "", "d"], np.array(["a", "é".encode(), "", "d"], dtype="S2")):
        table = Whole(npz(mass=PARTS["mass"], com=com, inertia=MATRICES, name=names))
        assert table.has_com
        assert table.values[:, 1:4].tolist() == com.tolist()
        assert table.labels == ("a", "é", "", "d")


def test_compressed_archives_and_extra_members_are_read():
    stream = io.BytesIO()
    np.savez_compressed(stream, theta=THETA)
    assert Whole(stream.getvalue(), "urdf").theta.tolist() == THETA.tolist()


def test_an_order_is_asked_for_where_only_an_array_tells_it():
    for data in (npy(THETA), npz(theta=THETA), npz(**PARTS, inertia=SIX)):
        with pytest.raises(UsageError, match="declare it with --order"):
            Whole(data)


LOPSIDED = np.array(MATRICES)
LOPSIDED[2, 0, 1] += 0.5


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (npy(THETA[:, :9]), r"float64 of shape \(4, 9\), expected real numbers of shape \(n, 10\)"),
        (npy(THETA[0]), r"shape \(10,\)"),
        (npy(THETA[:0]), "the table has no rows"),
        (npy(THETA + 1j), "array of complex128"),
        (npy(np.array([[None] * 10]), allow_pickle=True), "holds pickled Python objects, .* never"),
        (npz(theta=np.array([[None] * 10])), "theta: holds pickled Python objects"),
        (npz(theta=THETA, name=np.array([None] * 4)), "name: holds pickled Python objects"),
        (npz(theta=THETA, name=np.arange(4)), "name: holds int64, expected text"),
        (npz(theta=THETA, name=["a"]), "name: has 1 rows, and theta has 4"),
        (npz(theta=THETA, mass=THETA[:, 0]), "theta and mass say the same twice"),
        (npz(a=THETA, b=THETA), "the archive has a, b; expected theta"),
        (npz(**PARTS), "the archive has first_moment, mass; expected"),
        (npz(**PARTS, h=PARTS["first_moment"], inertia=SIX), "first_moment and h mean the same"),
        (npz(**PARTS, com=PARTS["first_moment"], inertia=SIX), "both a first moment and a centre"),
        (npz(**PARTS, inertia=THETA), r"inertia: .* expected \(n, 6\) or \(n, 3, 3\)"),
        (npz(mass=THETA, h=PARTS["first_moment"], inertia=SIX), r"mass: .* expected \(n,\)"),
        (npz(**PARTS, inertia=SIX[:3]), "inertia: has 3 rows, and mass has 4"),
        (npz(theta=THETA[0]), r"theta: has shape \(10,\), expected \(n, 10\)"),
        (npz(**PARTS, inertia=LOPSIDED), r"^t: inertia\[2\]: .* not symmetric: entry \[0, 1\]"),
        (npz(theta=THETA)[:-30], "^t: damaged or cut off"),
        (npz(theta=THETA)[:100], "^t: damaged or cut off"),
        (b"PK\x03\x04 and no more", "^t: damaged or cut off"),
        (npy(THETA)[:-1], "^t: damaged or cut off: it ends before its last item"),
        (npy(THETA)[:60], "^t: damaged or cut off"),
        (b"\x93NUMPY\x09\x09" + npy(THETA)[8:], r"damaged or cut off: version \(9, 9\)"),
        (b"PK\x05\x06" + bytes(18), "the archive has nothing"),
    ],
)
@pytest.mark.parametrize("rows", [1, 1000])
def test_what_is_no_table_is_refused_by_array_and_row(data, message, rows):
    with pytest.raises(DocumentError, match=message):
        Whole(data, "urdf", rows)


def test_changed_and_repeated_members_are_refused():
    data = bytearray(npz(theta=THETA))
    at = data.index(THETA[2].tobytes())
    data[at] ^= 1
    with pytest.raises(DocumentError, match=r"^t: theta: damaged or cut off: Bad CRC"):
        Whole(bytes(data), "urdf")
    stream = io.BytesIO(npz(theta=THETA))
    with zipfile.ZipFile(stream, "a") as archive:
        archive.writestr("theta", b"")
    with pytest.raises(DocumentError, match="two arrays have one name"):
        Whole(stream.getvalue(), "urdf")
