"""Figure that shows itself in notebooks without pyplot, and is silent on letters without a glyph.

This module imports matplotlib; import it inside functions.
"""

from __future__ import annotations

import warnings
from io import BytesIO
from typing import Any

from matplotlib.figure import Figure


class PlotFigure(Figure):
    """Figure of matplotlib whose texts may hold any characters."""

    def draw(self, renderer: Any) -> None:  # noqa: ANN401 - every backend has its own
        """Draw the figure; letters that the font lacks are drawn as boxes."""
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", message="Glyph .* missing from font")
            super().draw(renderer)

    def get_tightbbox(self, *args: Any, **kwargs: Any) -> Any:  # noqa: ANN401 - as the base class
        """Compute the box around everything that is drawn."""
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", message="Glyph .* missing from font")
            return super().get_tightbbox(*args, **kwargs)

    def _repr_png_(self) -> bytes:
        """Render the figure for a notebook."""
        stream = BytesIO()
        self.savefig(stream, format="png")
        return stream.getvalue()
