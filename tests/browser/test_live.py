"""A live view in Chromium: a new scene is drawn, and a broken save is told as text."""

import pytest

pytest.importorskip("selenium", reason="selenium is not installed: pip install selenium")

from selenium.webdriver.support.wait import WebDriverWait

from inertial_check.checking.settings import Settings
from inertial_check.reports.page.server import LiveScene, Publication, serve

ROBOT = """<robot name="arm"><link name="{}"><inertial><mass value="{}"/>
<inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial></link></robot>"""
HOSTILE = "&lt;img src=x onerror=document.title=1&gt;"


def wait(driver, script):
    return WebDriverWait(driver, 60, poll_frequency=0.05).until(lambda d: d.execute_script(script))


def test_saves_arrive_and_a_broken_one_keeps_the_model(driver, tmp_path):
    model = tmp_path / "arm.urdf"
    model.write_text(ROBOT.format(HOSTILE, 1.5))
    live = LiveScene(str(model), Settings().validate())
    shown = Publication(live.scene)

    def save(text):
        model.write_text(text)
        assert live.has_changed()
        shown.publish(live.read())

    body = "document.querySelector('#bodies tr[data-index=\"0\"]').textContent"
    broken = "document.getElementById('broken')"
    driver.get_log("browser")  # those of other tests
    with serve(shown) as address:
        driver.get(address)
        wait(driver, f"return {body}.includes('1.5')")
        driver.execute_script("inertialCheck.select(0, 'table')")
        save(ROBOT.format(HOSTILE, 2.75))
        wait(driver, f"return {body}.includes('2.75')")
        assert driver.execute_script("return inertialCheck.selected") == 0
        assert driver.execute_script(f"return {broken}.hidden")
        height = driver.execute_script("return document.querySelector('header').offsetHeight")
        save("<robot><link name='<script>'")
        wait(driver, f"return !{broken}.hidden")
        assert height == driver.execute_script(
            "return document.querySelector('header').offsetHeight"
        )
        assert str(model) in driver.execute_script(f"return {broken}.textContent")
        assert driver.execute_script(f"return {broken}.childElementCount") == 0
        assert "2.75" in driver.execute_script(f"return {body}")
        save(ROBOT.format(HOSTILE, 3))
        wait(driver, f"return {broken}.hidden")
        assert driver.title != "1"
        assert driver.get_log("browser") == []
    wait(driver, f"return !{broken}.hidden")  # the server has gone
    assert "The view server has gone" in driver.execute_script(f"return {broken}.textContent")
    driver.get("about:blank")
