"""One headless Chromium for all tests of the page; without it they are skipped."""

import importlib.util
import shutil
from pathlib import Path

import pytest

INSTALL = "apt-get install -y chromium chromium-driver && pip install selenium"


def reason_against():
    """Why there is no browser to test with; None if there is one."""
    if importlib.util.find_spec("selenium") is None:
        return "selenium is not installed"
    browser = shutil.which("chromium") or shutil.which("google-chrome")
    if browser is None or shutil.which("chromedriver") is None:
        return "chromium and chromedriver are not installed"
    return None


@pytest.fixture(scope="session")
def driver():
    if (reason := reason_against()) is not None:
        pytest.skip(f"{reason}: {INSTALL}")
    from selenium import webdriver
    from selenium.webdriver.chrome.service import Service

    options = webdriver.ChromeOptions()
    options.binary_location = shutil.which("chromium") or shutil.which("google-chrome")
    for argument in (
        "--headless=new",
        "--no-sandbox",  # containers run tests as root
        "--disable-dev-shm-usage",
        "--window-size=1280,900",
        "--force-device-scale-factor=1",
        "--use-angle=swiftshader",  # the same pictures with and without a graphics card
        "--enable-unsafe-swiftshader",
    ):
        options.add_argument(argument)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    driver = webdriver.Chrome(options=options, service=Service(shutil.which("chromedriver")))
    driver.set_script_timeout(60)
    yield driver
    driver.quit()


@pytest.fixture(scope="session")
def page_path(tmp_path_factory):
    """A page with two models: a hostile one, and an arm with shapes, a mesh and a lost digit."""
    from inertial_check.programs.cli.main import main

    folder = tmp_path_factory.mktemp("page")
    data = Path(__file__).parent / "data"
    target = folder / "page.html"
    assert main(["report", str(data), "-o", str(target), "-q"]) == 0
    return target
