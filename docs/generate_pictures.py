"""Draw the pictures of the documentation, docs/pictures/*.png, with headless Chromium.

Each picture is the page that `inertial-check report` writes for a model in data/. Pixels depend on
the browser, so no test compares them: run this after a change of the page, and look at them.
"""

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]

PICTURES = {"report.png": "data/arm.urdf"}
"""The model that each picture shows."""

BROWSERS = ("chromium", "chromium-browser", "google-chrome")


def main() -> int:
    """Draw all pictures; code 2 if there is no browser."""
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
