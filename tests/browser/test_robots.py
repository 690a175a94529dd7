"""Pages of real robots in Chromium: what stands on the first screen, and what Next shows."""

import os
from pathlib import Path

import pytest

pytest.importorskip("selenium", reason="selenium is not installed: pip install selenium")

from selenium.webdriver import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.support.wait import WebDriverWait

from inertial_check.reports.page.page import write_page
from inertial_check.reports.page.scene import read_scene

MESHES = os.environ.get("INERTIAL_CHECK_MESHES")
STRETCH = "hello-robot+stretch_urdf/stretch_urdf/RE2V0"
ROBOTS = [
    "AlphaDogDeveloper+dev_robot_control_sdk/resources/devq/urdf/devq.urdf",
    "BoosterRobotics+booster_gym/resources/T1/T1_serial.urdf",
    "BoosterRobotics+booster_gym/resources/T1/T1_locomotion.xml",
    "RealManRobot+rm_models/ECO65/urdf/ECO65-B/urdf/ECO65-B.urdf",
    "enactic+openarm_description/urdf/robot/v10.urdf.xacro",
    f"{STRETCH}/stretch_description_RE2V0_tool_stretch_dex_wrist.urdf",
    f"{STRETCH}/xacro/stretch_gripper.xacro",
    "heuristicus+spot_ros/spot_description/urdf/spot.urdf.xacro",
    "upkie+upkie_description/urdf/upkie.urdf",
    "data/arm.urdf",
    "tests/browser/data/arm.urdf",
]
QUICK = {"T1_locomotion", "stretch_gripper", "v10.urdf", "arm"}

FORMS = ("box size='1 1 1'", "sphere radius='1'", "cylinder radius='.3' length='2'")


@pytest.fixture(params=ROBOTS, ids=lambda path: Path(path).stem)
def page(request, driver, tmp_path):
    """The page of one robot, opened, with whole pictures."""
    path = Path(request.param)
    if path.stem not in QUICK and not request.config.getoption("--long"):
        pytest.skip("one of several robots: run it with --long")
    if not path.exists():
        if MESHES is None:
            pytest.skip("INERTIAL_CHECK_MESHES names no folder with meshed robots")
        path = Path(MESHES) / request.param
    target = tmp_path / "page.html"
    target.write_text(write_page([read_scene(str(path))]), encoding="utf-8")
    driver.get("about:blank")
    driver.get_log("browser")
    driver.get(target.as_uri())
    wait(driver, "return Boolean(inertialCheck.figure.view)")
    driver.execute_script("inertialCheck.figure.adapt = () => {}; inertialCheck.figure.draw()")
    yield driver
    assert not [each for each in driver.get_log("browser") if each["level"] == "SEVERE"]


def wait(driver, script):
    return WebDriverWait(driver, 60, poll_frequency=0.05).until(lambda d: d.execute_script(script))


def measure(driver, wanted):
    """Share of the pixels that show the wanted items, and how much of the sides they span."""
    return driver.execute_script(
        "const f = inertialCheck.figure, kept = f.solids, glyphs = f.glyphs;"
        "const grid = f.grid.mesh.count; f.grid.mesh.count = 0; f.glyphs = [];"
        f"f.solids = kept.filter((each) => {wanted}); f.scale = 1; f.draw();"
        "const { width, height } = f.canvas, data = new Uint8Array(4 * width * height);"
        "f.renderer.gl.readPixels(0, 0, width, height, 6408, 5121, data);"
        "f.solids = kept; f.grid.mesh.count = grid; f.glyphs = glyphs; f.draw();"
        "const words = new Uint32Array(data.buffer), x = [], y = [];"
        "words.forEach((word, i) => { if (word !== words[0]) {"
        " x.push(i % width); y.push(Math.floor(i / width)); } });"
        "const span = (all, size) => all.length"
        " ? (all.reduce((a, b) => Math.max(a, b)) - all.reduce((a, b) => Math.min(a, b)) + 1)"
        " / size : 0;"
        "return { share: x.length / words.length, count: x.length,"
        " fill: Math.max(span(x, width), span(y, height)) };"
    )


def test_the_robot_fills_the_picture_and_no_tensor_hides_it(page):
    # Without shapes, tensors of usual size stand for them.
    wanted = "each.part !== undefined || f.solids.every((other) => other.mesh)"
    assert 0.55 <= measure(page, wanted)["fill"] <= 0.9
    drawn = "return [...new Set(inertialCheck.figure.solids.filter((each) => each.mesh)"
    for body in page.execute_script(f"{drawn}.map((each) => each.body))];"):
        assert measure(page, f"each.mesh && each.body === {body}")["share"] <= 1 / 3
    page.execute_cdp_cmd(
        "Emulation.setDeviceMetricsOverride",
        {"width": 420, "height": 800, "deviceScaleFactor": 1, "mobile": False},
    )
    try:
        wait(page, "return inertialCheck.figure.canvas.clientWidth <= 420")
        wait(page, "return inertialCheck.figure.view.aspect < 1.3")
        assert 0.55 <= measure(page, wanted)["fill"] <= 0.9
        assert page.execute_script("return document.documentElement.scrollWidth") <= 420
    finally:
        page.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})


def test_the_first_guilty_body_is_visible_labelled_and_picked(page):
    body, name = page.execute_script(
        "const p = inertialCheck, { body } = p.steps[0]; return [body, p.scene.bodies[body].name];"
    )
    assert page.execute_script("return inertialCheck.selected") == body
    wait(page, "return document.querySelector('.tag.chosen')?.hidden === false")
    label = page.find_element(By.CSS_SELECTOR, ".tag.chosen")
    assert label.text.startswith(name)
    fixes = page.execute_script(f"return inertialCheck.scene.bodies[{body}].fixes")
    assert ("\N{RIGHTWARDS ARROW}" in label.text) == (len(fixes) > 0)
    if fixes:  # the number that changes most stands first
        changes = {each: abs(float(new) - float(old)) for each, old, new in fixes[0]["changes"]}
        assert label.text.splitlines()[1].split()[0] == max(changes, key=changes.get)
    assert measure(page, f"each.body === {body}")["count"] > 30
    page.execute_script("inertialCheck.select(-1)")
    canvas = page.find_element(By.ID, "canvas")
    x, y = page.execute_script(
        f"const f = inertialCheck.figure, [x, y] = f.project({body});"
        "return [x - f.canvas.clientWidth / 2, y - f.canvas.clientHeight / 2];"
    )
    ActionChains(page).move_to_element_with_offset(canvas, round(x), round(y)).click().perform()
    picked = page.execute_script("return inertialCheck.selected")
    # Bodies that share a centre share a pixel: then one of the guilty ones there is picked.
    near = page.execute_script(
        f"const f = inertialCheck.figure, [x, y] = f.project({body}), [a, b] = f.project({picked});"
        "return Math.hypot(x - a, y - b);"
    )
    assert picked == body or near < 6


def test_next_visits_every_remedy_and_after_shows_its_numbers(page):
    remedied, steps = page.execute_script(
        "const p = inertialCheck, text = ({ remedy }) => remedy && JSON.stringify(remedy.lines);"
        "return [p.scene.findings.map(text), p.steps];"
    )
    wanted = {each for each in remedied if each and each != "[]"}
    seen = set()
    for step in steps:
        assert page.execute_script("return inertialCheck.selected") == step["body"]
        assert (
            page.execute_script(
                "return Number(document.querySelector('.card.now').dataset.finding)"
            )
            == (step["finding"])
        )
        seen.add(remedied[step["finding"]])
        page.execute_script("document.getElementById('next').click()")
    assert wanted <= seen
    order = page.execute_script(
        "return inertialCheck.table.shown.map((i) => inertialCheck.scene.bodies[i].severity)"
    )
    rank = ["error", "warning", "note", None]
    assert order == sorted(order, key=rank.index)
    fixed = page.execute_script(
        "return inertialCheck.scene.bodies.flatMap(({ fixes, verdict, margin }, i) =>"
        " fixes.length ? [[i, verdict, margin, fixes[0].verdict, fixes[0].margin]] : []);"
    )
    for body, verdict, margin, verdict_after, margin_after in fixed[:2]:
        row = f"#bodies tr[data-index='{body}']"
        cells = [set_numbers(page, value, row) for value in (0, 1)]
        assert [each[1] for each in cells] == [verdict, verdict_after]
        assert (cells[0][2] == cells[1][2]) == (margin == margin_after)
    page.execute_script("document.getElementById('canvas').focus()")
    before = page.execute_script("return document.getElementById('option-numbers').value")
    ActionChains(page).send_keys("b").perform()
    after = page.execute_script("return document.getElementById('option-numbers').value")
    assert (before == after) == (not fixed)


def set_numbers(page, value, row):
    page.execute_script(
        "const each = document.getElementById('option-numbers'); each.value = arguments[0];"
        "each.dispatchEvent(new Event('input'));",
        value,
    )
    return [cell.text for cell in page.find_elements(By.CSS_SELECTOR, f"{row} td")]


def test_the_address_names_a_body_and_opens_it(driver, page_path):
    driver.get("about:blank")
    driver.get(f"{page_path.as_uri()}#body=upper")
    wait(driver, "return Boolean(inertialCheck.figure.view)")
    assert driver.find_element(By.CSS_SELECTOR, "#panel-body h2").text == "upper"
    driver.execute_script("inertialCheck.select(2, 'table')")
    assert driver.current_url.endswith("body=fore")
    driver.get("about:blank")


def test_two_hundred_bodies_take_at_most_forty_calls(driver, tmp_path):
    links = "".join(
        f'<link name="l{i}"><inertial><mass value="1"/><inertia ixx="{1 if i % 20 else 9}" ixy="0"'
        ' ixz="0" iyy="1" iyz="0" izz="1"/></inertial><visual><geometry>'
        f"<{FORMS[i % 3]}/>"
        "</geometry></visual></link>"
        + (
            f'<joint name="j{i}" type="revolute"><parent link="l{(i - 1) // 2}"/>'
            f'<child link="l{i}"/><origin xyz="{1 + i % 2} 2 1"/><axis xyz="0 0 1"/>'
            '<limit effort="1" velocity="1" lower="-1" upper="1"/></joint>'
            if i
            else ""
        )
        for i in range(200)
    )
    path, target = tmp_path / "many.urdf", tmp_path / "page.html"
    path.write_text(f'<robot name="many">{links}</robot>')
    target.write_text(write_page([read_scene(str(path))]), encoding="utf-8")
    driver.get(target.as_uri())
    wait(driver, "return Boolean(inertialCheck.figure.view)")
    for option in ("axes", "frames", "com"):
        driver.execute_script(f"document.getElementById('option-{option}').click()")
    driver.execute_script("inertialCheck.figure.draw()")
    assert len(driver.execute_script("return inertialCheck.scene.bodies")) == 200
    assert driver.execute_script("return inertialCheck.figure.renderer.calls") <= 40
    # While the camera moves nothing is built: marks keep their size on the screen in the shader.
    assert not driver.execute_script(
        "const f = inertialCheck.figure, place = f.renderer.place;"
        "let built = 0; const count = (own) => (...a) => { built += 1; return own.apply(f, a); };"
        "for (const name of ['listSolids', 'listGlyphs', 'bounds']) f[name] = count(f[name]);"
        "f.renderer.place = () => { built += 1; };"
        "for (let k = 0; k < 3; k++) { f.camera.orbit(0.1, 0.05); f.draw(); }"
        "f.renderer.place = place; return built;"
    )
    driver.get("about:blank")
