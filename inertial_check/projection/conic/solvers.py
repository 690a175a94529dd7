"""Asking an installed cvxpy solver, by name, without trusting it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from warnings import catch_warnings, simplefilter

from inertial_check.errors import ParameterError, PicklableError


class NoAnswer(PicklableError, Exception):
    """A solver stopped without an answer, or broke.

    Attributes:
        infeasible: Whether it says that there is none.
    """

    def __init__(self, reason: str, infeasible: bool = False) -> None:
        super().__init__(reason)
        self.infeasible = infeasible


def find_solver(solver: str) -> str:
    """Find the name that cvxpy has for a solver.

    Raises:
        ParameterError: Not installed, or without semidefinite cones; lists those that can.
    """
    if isinstance(solver, str) and solver.upper() == "CLARABEL":  # a dependency: always there
        return "CLARABEL"
    import cvxpy as cp

    known = {str(name).upper(): str(name) for name in cp.installed_solvers()}
    name = known.get(solver.upper()) if isinstance(solver, str) else None
    if name is None or not _has_semidefinite_cones(name):
        able = ", ".join(
            repr(n.lower()) for n in sorted(known.values()) if _has_semidefinite_cones(n)
        )
        reason = "is not installed" if name is None else "has no semidefinite cones"
        raise ParameterError(
            f"solver {solver!r} {reason}; installed are {able}, and None is the closed form"
        )
    return name


@contextmanager
def translate_failures() -> Iterator[None]:
    """Translate whatever a solver raises into NoAnswer; the user can still stop it.

    Clarabel's panics are no Exception, hence the broad clause. Warnings of inaccurate answers are
    dropped: an answer is certified, or refused, afterwards.
    """
    try:
        with catch_warnings():
            simplefilter("ignore")
            yield
    except (KeyboardInterrupt, SystemExit, GeneratorExit, NoAnswer):
        raise
    except BaseException as error:
        raise NoAnswer(f"{error}" or type(error).__name__) from error


@cache
def _has_semidefinite_cones(name: str) -> bool:
    """Decide whether cvxpy can hand this solver a semidefinite problem."""
    import cvxpy as cp

    P = cp.Variable((2, 2), PSD=True)
    problem = cp.Problem(cp.Minimize(cp.sum_squares(P)), [P[0, 1] == 1])
    try:
        problem.get_problem_data(name)
    except cp.error.SolverError:
        return False
    return True
