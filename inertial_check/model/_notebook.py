"""Models in notebooks."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from inertial_check.inertia._notebook import ShownBodies, count_words
from inertial_check.markup.html import count, escape_text, write_box
from inertial_check.model import Judgement, Model
from inertial_check.model.judging import judge


def show_model(model: Model) -> str:
    """Show a model: its bodies, the worst first."""
    shown = read_bodies([body.name for body in model.bodies], judge(model))
    words = [count(len(model.bodies), "body"), count_words(shown.verdicts)]
    return write_box(
        escape_text(f"Model {model.name}".rstrip()),
        f"{model.source.path} ({model.format}): {': '.join(filter(None, words))}",
        shown.write_table(),
        shown.draw_triangle(),
    )


def read_bodies(names: Sequence[str], judgements: Sequence[Judgement]) -> ShownBodies:
    """Read the bodies that a notebook shows from their judgements."""

    def column(name: str) -> np.ndarray[tuple[int, ...], np.dtype[np.float64]]:
        return np.array([getattr(each, name) for each in judgements], dtype=np.float64)

    return ShownBodies(
        names,
        column("mass"),
        column("principal_moments").reshape(-1, 3),
        column("margin"),
        [each.verdict for each in judgements],
    )
