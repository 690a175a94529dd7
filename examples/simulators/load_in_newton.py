"""Check a model, repair what has a small repair, and build it with Newton.

    python load_in_newton.py robot.urdf

Newton moves the moments of an impossible body to others when it finalizes the model. Here the model
is repaired or refused before, and the moments of the built model are those of the file.
"""

from __future__ import annotations

import sys
from pathlib import Path

from check_then_load import prepare


def main(path: Path) -> None:
    """Build the model of a path, and print the mass that Newton simulates."""
    checked = prepare(path, "newton")
    try:
        import newton
    except ImportError:
        raise SystemExit("checked, not loaded: Newton is missing: pip install newton") from None
    builder = newton.ModelBuilder()
    if checked.suffix == ".urdf":
        builder.add_urdf(str(checked))
    elif checked.suffix == ".xml":
        builder.add_mjcf(str(checked))
    else:
        try:
            builder.add_usd(str(checked))
        except ImportError as error:  # its readers of USD are an extra
            raise SystemExit(f"checked, not loaded: {error}") from None
    model = builder.finalize(device="cpu")
    mass = float(model.body_mass.numpy().sum())
    print(f"Newton simulates {model.body_count} bodies, {mass:.4g} kg")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
