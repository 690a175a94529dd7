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

SOLO = "solo/robots/solo_description/robots/solo.urdf"
PILZ = "pilz/prbt_support/urdf/prbt.xacro"
PICTURES = {
    "report.png": (SOLO, ""),
    "report-dark.png": (SOLO, "dark"),
    "pilz.png": (PILZ, ""),
    "arm.png": ("data/arm.urdf", ""),
}
"""Model and colours of each picture. Models of public robots, as they stood before they were
mended, lie in the folder INERTIAL_CHECK_REPORTS (docs/gallery.md names their commits)."""

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
    if "--pages" not in sys.argv:
        draw_plots()
    browser = next(filter(None, map(shutil.which, BROWSERS)), None)
    if browser is None:
        print(f"install one of {', '.join(BROWSERS)}", file=sys.stderr)
        return 2
    reports = os.environ.get("INERTIAL_CHECK_REPORTS", "")
    for name, (model, colours) in PICTURES.items():
        path = ROOT / model if model.startswith("data/") else Path(reports) / model
        if not path.exists():
            print(f"{name} is not drawn: INERTIAL_CHECK_REPORTS has no {model}", file=sys.stderr)
            continue
        robot = path if model.startswith("data/") else path.relative_to(Path(reports))
        with tempfile.TemporaryDirectory() as temporary:
            page = Path(temporary) / "report.html"
            report = [
                sys.executable,
                "-m",
                "inertial_check",
                "report",
                str(robot.relative_to(ROOT) if robot.is_absolute() else robot),
                "-o",
                str(page),
                "-q",
            ]
            folder = ROOT if model.startswith("data/") else reports
            environment = {**os.environ, "PYTHONPATH": str(ROOT)}
            subprocess.run(report, cwd=folder, check=True, env=environment)
            draw_page(browser, page, ROOT / "docs" / "pictures" / name, colours == "dark")
    return 0


def draw_page(browser: str, page: Path, picture: Path, dark: bool = False) -> None:
    """Draw a page as it looks once the robot is there."""
    options = (
        *("--headless", "--no-sandbox", "--hide-scrollbars", "--window-size=1280,800"),
        *("--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader"),
        *("--virtual-time-budget=15000", f"--screenshot={picture}"),
        *(["--blink-settings=preferredColorScheme=0"] if dark else []),
    )
    subprocess.run([browser, *options, page.as_uri()], check=True, capture_output=True)


if __name__ == "__main__":
    sys.exit(main())
