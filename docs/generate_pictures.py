"""Draw the pictures of the documentation, docs/pictures/*.png.

Plots are drawn by matplotlib; the others are pages that `inertial-check report` writes for a model
in data/, drawn by headless Chromium. Pixels depend on both, so no test compares them: run this
after a change, and look at them.
"""

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]

PICTURES = {"report.png": "data/arm.urdf"}
"""The model that each picture shows."""

BROWSERS = ("chromium", "chromium-browser", "google-chrome")


PLOTS = {
    "identification.png": (
        "identify data/recordings/raw_train.csv --model data/recordings/arm.urdf --time-unit ms "
        "--degrees --delay=0.06 --loss huber -q --output-file report.txt --plot fit.png",
        "fit-torques-1.png",
    )
}
"""Command that draws each plot, and the file that it writes."""


def draw_plots() -> None:
    """Draw the plots."""
    for name, (command, file) in PLOTS.items():
        with tempfile.TemporaryDirectory() as folder:
            (Path(folder) / "data").symlink_to(ROOT / "data")
            program = [sys.executable, "-m", "inertial_check", *command.split()]
            paths = os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")])
            subprocess.run(program, cwd=folder, check=True, env={**os.environ, "PYTHONPATH": paths})
            shutil.copy(Path(folder) / file, ROOT / "docs" / "pictures" / name)


def main() -> int:
    """Draw all pictures; code 2 if there is no browser."""
    draw_plots()
    browser = next(filter(None, map(shutil.which, BROWSERS)), None)
    if browser is None:
        print(f"install one of {', '.join(BROWSERS)}", file=sys.stderr)
        return 2
    for name, model in PICTURES.items():
        with tempfile.TemporaryDirectory() as folder:
            page = Path(folder) / "report.html"
            report = [
                sys.executable,
                "-m",
                "inertial_check",
                "report",
                model,
                "-o",
                str(page),
                "-q",
            ]
            subprocess.run(report, cwd=ROOT, check=True)
            draw_page(browser, page, ROOT / "docs" / "pictures" / name)
    return 0


def draw_page(browser: str, page: Path, picture: Path) -> None:
    """Draw a page as it looks once the robot is there."""
    options = (
        *("--headless", "--no-sandbox", "--hide-scrollbars", "--window-size=1280,800"),
        *("--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader"),
        *("--virtual-time-budget=15000", f"--screenshot={picture}"),
    )
    subprocess.run([browser, *options, page.as_uri()], check=True, capture_output=True)


if __name__ == "__main__":
    sys.exit(main())
