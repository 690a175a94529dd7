"""The causes by convention: the sign of the products, the order of the six numbers."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from inertial_check.arrays.types import Floats
from inertial_check.causes._base import NOTHING, Cause, Meant, Subject
from inertial_check.causes._results import Proposal
from inertial_check.causes._wording import a_body, number, tensor
from inertial_check.causes.geometric import meant_by_readings, reread
from inertial_check.evidence.readings import PRODUCTS_NEGATED, list_orders
from inertial_check.inertia.representations import ORDERS, Order, symmetric
from inertial_check.model import ENTRIES


class SignOfProducts(Cause):
    """The products of inertia have the opposite sign convention.

    ## What happened
    The tensor has I_xy = -sum m x y off its diagonal, but some CAD programs print the product of
    inertia +sum m x y (SolidWorks asks, as "positive tensor notation"), and some importers negate
    once too often.

    ## How it is recognised
    The tensor is one that no body can have, and with all three products negated it is one that a
    body can have. By itself this says little: it happens by chance with 5 to 21 % of tensors that
    are wrong for another reason, and negating any one product does as well as negating all three.
    It says much where several bodies of the model agree, because a convention holds for all. Most
    tensors with the wrong signs are bodies all the same, and show nothing.

    ## Example
        <mass value="2.083078"/>
        <inertia ixx="0.003003" ixy="0.002396" ixz="0.001531"
                 iyy="0.008613" iyz="0.000588" izz="0.009348"/>

    ## What undoes it
    The three products of this body negated, and those of every body that came the same way.

    ## What people search for
    "inertia must satisfy A + B >= C; use 'balanceinertia' to fix" and "inertia must have positive
    eigenvalues" (MuJoCo); "did not pass the test CouldBePhysicallyValid" (Drake).

    ## References
    Heins, Rigid Body Inertial Parameters, "Rotational Inertia" (the sign of the products).
    """

    name, prior, mends = "sign-of-products", 0.06, True
    kinds = frozenset({"impossible", "stated"})

    _BY_CHANCE = 0.1
    """Fraction of tensors broken by noise that negated products make valid by chance."""

    def candidates(self, subject: Subject) -> Floats:
        """The products negated."""
        if not subject.broken:
            return NOTHING
        return np.asarray(subject.six[None] * PRODUCTS_NEGATED)

    def meant(self, subject: Subject) -> Meant | None:
        """The body with its products negated."""
        return meant_by_readings(subject, self)

    def proposals(self, subject: Subject) -> Iterator[Proposal]:
        """The tensor with its products negated, where that makes a body of it."""
        if subject.kind == "stated":
            yield from reread(subject, self)  # of a body that shows nothing by itself
        six, margin, consistent = self.trials(subject)
        if consistent.any():
            yield Proposal(
                1 / self._BY_CHANCE,
                f"negating the three products makes the tensor {a_body(margin[0])}: "
                f"{tensor(six[0])}",
                I_BBcm_Bi=symmetric(six[0]),
            )


class ComponentOrder(Cause):
    """The six numbers were written in one order and read in another.

    ## What happened
    URDF and SDF name xx xy xz yy yz zz, MuJoCo's fullinertia is xx yy zz xy xz yz, Pinocchio's
    vector xx xy yy xz yz zz, Wensing's xx yy zz yz xz xy, KSL's xx yy zz xy yz zx. Or the first six
    of the nine numbers of the matrix, row by row, were written where six different ones belong.

    ## How it is recognised
    No body can have the tensor as written, and in another order some body can. Row by row, the
    second and the fourth number are the same product: where the two are equal to the last digit,
    and not by being short, that is proof enough; the sixth, I_zz, is then lost.

    ## Example
        <mass value="1.2"/>
        <inertia ixx="0.0041" ixy="0.0052" ixz="0.0027" iyy="0.00031" iyz="-0.00012" izz="0.00008"/>

    ## What undoes it
    The numbers in the order of the format.

    ## What people search for
    "inertia must have positive eigenvalues" (MuJoCo); "fullinertia order"; "did not pass the test
    CouldBePhysicallyValid" (Drake).

    ## References
    MuJoCo XML reference, body/inertial/fullinertia; Pinocchio, Inertia::toDynamicParameters.
    """

    name, prior, mends = "component-order", 0.05, True
    kinds = frozenset({"impossible"})

    BY_CHANCE = 0.02
    """Fraction of otherwise broken tensors that one given order makes valid by chance."""

    _MOVED, _UNTANGLED = 10.0, 50.0
    """Likelihood ratios of zeros that belong off the diagonal and stand on it, and of a reading in
    which all products are zero: neither happens by chance."""

    def candidates(self, subject: Subject) -> Floats:
        """The six in every other order."""
        if not subject.broken:
            return NOTHING
        return np.asarray(subject.six[np.array([slots for slots, _, _ in list_orders()])])

    def proposals(self, subject: Subject) -> Iterator[Proposal]:
        """The tensor read in another order; what is left of a matrix written row by row."""
        yield from self._row_major(subject)
        six, margin, consistent = self.trials(subject)
        alike: dict[bytes, list[int]] = {}
        for row in np.flatnonzero(consistent).tolist():
            alike.setdefault(six[row].tobytes(), []).append(row)
        for rows in alike.values():
            row = max(rows, key=lambda row: list_orders()[row][2])
            share = sum(list_orders()[row][2] for row in rows)
            moved = np.count_nonzero(six[row][[0, 3, 5]]) - np.count_nonzero(subject.six[[0, 3, 5]])
            untangled = not six[row][[1, 2, 4]].any()
            weight = share / self.BY_CHANCE
            if moved:
                weight *= self._UNTANGLED if untangled else self._MOVED
            yield Proposal(
                weight,
                f"with {list_orders()[row][1]}, the tensor is {a_body(margin[row])}: "
                f"{tensor(six[row])}" + ("; all its products are then 0" if untangled else ""),
                I_BBcm_Bi=symmetric(six[row]),
            )

    def _row_major(self, subject: Subject) -> Iterator[Proposal]:
        """The first six of nine numbers, where the second and the fourth are the same."""
        if not subject.broken:
            return
        order: Order = "mujoco" if subject.examination.model.format == "mjcf" else "urdf"
        slots = [ORDERS["urdf"].index(entry) for entry in ORDERS[order]]
        xx, xy, xz, yx, yy, yz = subject.six[slots].tolist()
        names = [ENTRIES[slot] for slot in slots]
        if xy != yx or not xx > 0 or not yy > 0 or yz == yy == xy:
            return
        low, high = abs(xx - yy), xx + yy
        digits = len(f"{abs(xy):.10e}".partition("e")[0].rstrip("0")) - 1 if xy else 2
        yield Proposal(
            10.0 ** min(digits, 5),
            f"{names[1]} and {names[3]} are both {number(xy)}, as the second and fourth of a "
            f"matrix's nine numbers are: row by row it begins {number(xx)}, {number(xy)}, "
            f"{number(xz)}, {number(yx)}, {number(yy)}, {number(yz)}; izz is not among them and "
            f"lies between {low:.4g} and {high:.4g}",
            I_BBcm_Bi=np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, (low + high) / 2]]),
            editable=False,
        )
