"""The page of a report in Chromium: what is drawn, selected, moved, sorted and printed."""

import base64
import json

import pytest

pytest.importorskip("selenium", reason="selenium is not installed: pip install selenium")

from selenium.webdriver import ActionChains, Keys
from selenium.webdriver.common.by import By
from selenium.webdriver.support.wait import WebDriverWait

FORE, UPPER = 2, 1


@pytest.fixture(scope="module", autouse=True)
def opened(driver, page_path):
    set_media(driver)
    driver.get(page_path.as_uri())
    wait(driver, "return Boolean(inertialCheck.figure.view)")


@pytest.fixture(autouse=True)
def fresh(driver, opened):
    """Every test begins with the first model, nothing selected, and all options as at first."""
    driver.execute_script(
        "inertialCheck.figure.adapt = () => {};"  # else a busy machine draws coarser pictures
        "for (const each of document.querySelectorAll('select')) each.selectedIndex = 0;"
        "document.getElementById('option-numbers').value = 0;"
        "const filter = document.getElementById('filter'); filter.value = '';"
        "document.getElementById('only-findings').checked = false;"
        "inertialCheck.table.sorting = { key: null, down: false };"
        "inertialCheck.open(0); inertialCheck.select(-1); inertialCheck.openTab('findings');"
        "document.activeElement.blur();"
    )


def set_media(driver, media="", scheme="light"):
    feature = {"name": "prefers-color-scheme", "value": scheme}
    driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": media, "features": [feature]})


def wait(driver, script):
    return WebDriverWait(driver, 30, poll_frequency=0.05).until(lambda d: d.execute_script(script))


def element(driver, selector):
    return driver.find_element(By.CSS_SELECTOR, selector)


def row(driver, index):
    return element(driver, f"#bodies tr[data-index='{index}']")


def choose(driver, option, value):
    driver.execute_script(
        "const each = document.getElementById(arguments[0]); each.value = arguments[1];"
        "each.dispatchEvent(new Event('input'));",
        f"option-{option}",
        value,
    )


def pixels(driver):
    """The picture: number of colours, share of pixels unlike the corner, colour of the corner."""
    return driver.execute_script(
        """const { figure } = inertialCheck;
        figure.draw();
        const copy = document.createElement("canvas");
        copy.width = figure.canvas.width; copy.height = figure.canvas.height;
        const context = copy.getContext("2d");
        context.drawImage(figure.canvas, 0, 0);
        const { data } = context.getImageData(0, 0, copy.width, copy.height);
        const words = new Uint32Array(data.buffer), corner = words[0];
        let other = 0, sum = 0;
        for (let i = 0; i < words.length; i++) {
          if (words[i] !== corner) { other++; sum = (31 * sum + words[i] + i) % 4294967291; }
        }
        return { colours: new Set(words).size, share: other / words.length, sum,
          corner: [...data.slice(0, 3)] };"""
    )


def ellipsoid(driver, index):
    """The size of the ellipsoid of a body along its axes, as it is drawn."""
    return driver.execute_script(
        "const f = inertialCheck.figure, items = f.solids.filter((each) => each.body ==="
        " arguments[0] && each.mesh === f.primitives.sphere);"
        "return items.map(({ matrix: m }) =>"
        " [0, 4, 8].map((k) => Math.hypot(...m.slice(k, k + 3))));",
        index,
    )


def test_the_robot_is_drawn_without_any_complaint_of_the_console(driver):
    picture = pixels(driver)
    assert picture["colours"] > 50
    assert 0.02 < picture["share"] < 0.9
    assert not [entry for entry in driver.get_log("browser") if entry["level"] == "SEVERE"]


def test_names_are_text_and_do_nothing(driver):
    driver.execute_script("inertialCheck.open(1)")
    assert element(driver, "#name").text == "<script>window.harmed=1</script>"
    assert "<img src=x" in row(driver, 0).text
    assert "\\u202e\u05e9\u05dc\u05d5\u05dd \U0001f9be" in row(driver, 1).text
    assert driver.execute_script("return window.harmed === undefined")
    assert not driver.find_elements(By.CSS_SELECTOR, "main img:not(#picture), aside img")


def test_a_very_long_name_leaves_the_page_as_wide_as_the_window(driver):
    widths = driver.execute_script(
        "const p = inertialCheck, long = 'W'.repeat(10000);"
        "const scene = JSON.parse(JSON.stringify(p.scene));"
        "scene.name = scene.path = scene.bodies[0].name = long; p.show(scene);"
        "const { scrollWidth, clientWidth } = document.documentElement;"
        "p.open(0); return [scrollWidth, clientWidth];"
    )
    assert widths[0] == widths[1]


def test_an_empty_picture_says_why(driver):
    """Bodies without shapes and numbers, and no body at all: neither picture is left bare."""
    said = driver.execute_script(
        "const p = inertialCheck, at = document.getElementById('nothing'), said = [];"
        "const scene = JSON.parse(JSON.stringify(p.scene));"
        "const say = () => { p.show(scene); said.push(at.hidden ? '' : at.textContent); };"
        "say(); scene.shapes = []; say();"
        "for (const body of scene.bodies) body.com = body.ellipsoid = null;"
        "say(); for (const node of scene.nodes) node.parent = null;"
        "say(); scene.bodies = scene.nodes = scene.findings = []; scene.notes = ['x']; say();"
        "p.open(0); return said;"
    )
    assert said == [
        "",
        "",
        "",
        "No body here has a shape or an inertia to draw.",
        "This file has no body to draw; the notes say why.",
    ]


def test_a_row_selects_the_body_in_3d_and_a_click_in_3d_selects_its_row(driver):
    before = pixels(driver)["sum"]
    row(driver, UPPER).click()
    assert driver.execute_script("return inertialCheck.figure.selected") == UPPER
    assert pixels(driver)["sum"] != before  # the outline
    wait(driver, "return document.querySelector('.tag.chosen')?.hidden === false")
    assert element(driver, ".tag.chosen b").text == "upper"
    x, y = driver.execute_script(
        "const f = inertialCheck.figure, [x, y] = f.project(arguments[0]);"
        "return [x - f.canvas.clientWidth / 2, y - f.canvas.clientHeight / 2];",
        0,
    )
    canvas = element(driver, "#canvas")
    ActionChains(driver).move_to_element_with_offset(canvas, round(x), round(y)).click().perform()
    assert row(driver, 0).get_attribute("aria-selected") == "true"
    assert row(driver, UPPER).get_attribute("aria-selected") == "false"
    assert element(driver, "#panel-body h2").text == "base"


def test_a_slider_moves_the_links_behind_its_joint(driver):
    places = "return inertialCheck.scene.bodies.map((_, i) => inertialCheck.figure.project(i))"
    driver.execute_script("inertialCheck.openTab('joints'); inertialCheck.figure.draw()")
    base, upper, fore = driver.execute_script(places)
    slider = element(driver, f"#panel-joints input[data-index='{UPPER}']")
    slider.send_keys(Keys.ARROW_RIGHT * 40)
    after = driver.execute_script(places)
    assert after[0] == base
    assert abs(after[1][0] - upper[0]) > 5
    assert abs(after[2][0] - fore[0]) > abs(after[1][0] - upper[0])
    # 40 of 400 steps from -1.5 to 1.5 rad
    assert driver.execute_script("return inertialCheck.figure.positions[1]") == pytest.approx(0.3)
    assert element(driver, "#panel-joints output").text == "17.2°"


def test_the_fix_changes_the_ellipsoid_and_the_facts(driver):
    ((a, b, c),) = ellipsoid(driver, FORE)
    assert c < 0.05 * max(a, b)  # flat: no body has these moments
    row(driver, FORE).click()
    choose(driver, "numbers", 1)
    (drawn,) = ellipsoid(driver, FORE)
    # The box of 60 x 60 x 260 mm that the data were made of has these semi-axes.
    assert sorted(drawn) == pytest.approx([0.0387, 0.0387, 0.1678], abs=1e-3)
    assert "0.04813" in element(driver, "#panel-body .facts").text
    assert "fixed" in element(driver, "#legend").text


def test_options_change_the_picture(driver):
    seen = {pixels(driver)["sum"]}
    for option, value in (("solid", "none"), ("shapes", "none"), ("colour", "density")):
        choose(driver, option, value)
        seen.add(pixels(driver)["sum"])
    for option in ("axes", "frames", "com"):
        element(driver, f"#option-{option}").click()
        seen.add(pixels(driver)["sum"])
    for option in ("axes", "frames", "com"):
        element(driver, f"#option-{option}").click()
    assert len(seen) == 7


def test_the_table_is_sorted_and_filtered(driver):
    def names():
        return [each.text for each in driver.find_elements(By.CSS_SELECTOR, ".cell-name [dir]")]

    mass = element(driver, "#bodies th[data-key='mass'] button")
    mass.click()
    assert names() == ["fore", "upper", "base"]
    mass.click()
    assert names() == ["base", "upper", "fore"]
    header = element(driver, "#bodies th[data-key='mass']")
    assert header.get_attribute("aria-sort") == "descending"
    element(driver, "#filter").send_keys("CONSISTENT up")
    assert names() == ["upper"]
    assert element(driver, "#count").text == "1 of 3 bodies"
    element(driver, "#filter").send_keys(Keys.BACKSPACE * 20)
    element(driver, "#only-findings").click()
    assert "fore" in names()
    assert "base" not in names()


def test_a_finding_shows_its_line_with_the_guilty_number_and_its_fix(driver):
    card = element(driver, "#panel-findings .card")
    marks = card.find_elements(By.CSS_SELECTOR, ".lines:not(.fix .lines) mark")
    assert [mark.text for mark in marks] == ["0.0801"]
    assert "decimal-slip" in card.text
    assert card.find_element(By.CSS_SELECTOR, ".plus mark").text == "0.00801"
    assert "fix --unsafe --body fore" in card.find_element(By.CSS_SELECTOR, "code").text


def test_the_diagram_selects_too(driver):
    driver.execute_script("inertialCheck.openTab('moments')")
    dots = driver.find_elements(By.CSS_SELECTOR, "#panel-moments .dot")
    assert len(dots) == 3
    element(driver, f"#panel-moments .dot[data-index='{UPPER}']").click()
    assert row(driver, UPPER).get_attribute("aria-selected") == "true"
    corners = element(driver, ".triangle .possible").get_attribute("points")
    limit = float(corners.rpartition(",")[2])
    height = {
        int(dot.get_attribute("data-index")): float(dot.get_attribute("cy"))
        for dot in driver.find_elements(By.CSS_SELECTOR, "#panel-moments .dot")
    }
    assert height[FORE] > limit > max(height[0], height[UPPER])  # below the triangle, as in plots
    named = [each.text for each in driver.find_elements(By.CSS_SELECTOR, ".triangle text")]
    assert named[:3] == ["ball", "plate", "rod"]


def test_the_keyboard_alone_is_enough(driver):
    keys = ActionChains(driver)

    def focused():
        return driver.execute_script(
            "const at = document.activeElement; return at.id || at.dataset.index || at.tagName;"
        )

    driver.execute_script("document.getElementById('only-findings').focus()")
    for _ in range(20):  # past the buttons of the columns
        keys.send_keys(Keys.TAB).perform()
        if focused() == str(FORE):  # the worst body is the first row
            break
    keys.send_keys(Keys.ARROW_DOWN, Keys.ARROW_UP).perform()
    assert row(driver, FORE).get_attribute("aria-selected") == "true"
    keys.send_keys(Keys.ENTER).perform()
    assert focused() == "panel-body"
    driver.execute_script("document.getElementById('tab-body').focus()")
    keys.send_keys(Keys.ARROW_RIGHT).perform()
    assert focused() == "tab-moments"
    assert element(driver, "#panel-moments").is_displayed()
    driver.execute_script("document.getElementById('canvas').focus()")
    azimuth = driver.execute_script("return inertialCheck.figure.camera.azimuth")
    keys.send_keys(Keys.ARROW_LEFT).perform()
    assert driver.execute_script("return inertialCheck.figure.camera.azimuth") != azimuth


def test_every_control_has_a_name(driver):
    bare = driver.execute_script(
        """const wanted = "button, input, select, canvas, nav, aside, [role=tab], [role=tabpanel],"
          + "[role=grid], [role=listbox], [role=option], [role=img], [role=group]";
        return [...document.querySelectorAll(wanted)].filter(
          (each) => !(each.textContent.trim() || each.ariaLabel || each.labels?.length
            || each.getAttribute("aria-labelledby"))).map((each) => each.outerHTML.slice(0, 80));"""
    )
    assert bare == []


def test_the_dark_scheme_changes_page_and_picture(driver):
    light = pixels(driver)["corner"]
    assert sum(light) > 600
    set_media(driver, scheme="dark")
    waiting = WebDriverWait(driver, 30, poll_frequency=0.05)
    waiting.until(lambda d: sum(pixels(d)["corner"]) < 150)
    background = driver.execute_script("return getComputedStyle(document.body).backgroundColor")
    set_media(driver)
    waiting.until(lambda d: pixels(d)["corner"] == light)
    assert sum(map(int, background.removeprefix("rgb(").removesuffix(")").split(","))) < 150


def test_it_prints_with_the_picture_the_table_and_all_findings(driver):
    driver.execute_script("inertialCheck.openTab('joints')")
    set_media(driver, media="print")
    shown = {
        name: element(driver, name).is_displayed()
        for name in (
            ".tools",
            "#canvas",
            "#panel-joints",
            "#panel-findings",
            "#panel-moments",
            "#bodies",
        )
    }
    set_media(driver)
    assert shown == {
        ".tools": False,
        "#canvas": False,
        "#panel-joints": False,
        "#panel-findings": True,
        "#panel-moments": True,
        "#bodies": True,
    }
    printed = base64.b64decode(driver.execute_cdp_cmd("Page.printToPDF", {})["data"])
    assert printed.startswith(b"%PDF")
    assert driver.execute_script("return document.getElementById('picture').naturalWidth") > 100


def test_the_list_of_models_shows_the_worst_first_and_opens_the_other(driver):
    buttons = driver.find_elements(By.CSS_SELECTOR, "#models-list button")
    assert len(buttons) == 2
    assert "shaped_arm" in buttons[0].text
    buttons[1].click()
    assert element(driver, "#summary").text.startswith("2 bodies")
    assert buttons[1].get_attribute("aria-current") == "true"


def test_a_saved_file_keeps_camera_joints_and_selection(driver):
    """The live view shows each new scene by the same call."""
    row(driver, FORE).click()
    driver.execute_script(
        "const p = inertialCheck; p.figure.camera.orbit(0.5, 0); p.figure.setPosition(1, 0.4);"
        "const scene = JSON.parse(JSON.stringify(p.scene));"
        "scene.bodies[2].mass = 3; p.show(scene, true);"
    )
    kept = driver.execute_script(
        "const { selected, figure } = inertialCheck;"
        "return [selected, figure.positions[1], figure.camera.azimuth];"
    )
    assert kept == pytest.approx([FORE, 0.4, -1.4])
    assert "3 kg" in element(driver, "#panel-body .facts").text


def test_without_webgl_everything_else_works(driver, page_path):
    script = driver.execute_cdp_cmd(
        "Page.addScriptToEvaluateOnNewDocument",
        {"source": "HTMLCanvasElement.prototype.getContext = () => null"},
    )
    driver.get(page_path.as_uri())
    try:
        assert element(driver, "#no-webgl").is_displayed()
        row(driver, FORE).click()
        assert element(driver, "#panel-body h2").text == "fore"
        assert json.dumps(driver.get_log("browser")).count("SEVERE") == 0
    finally:
        driver.execute_cdp_cmd("Page.removeScriptToEvaluateOnNewDocument", script)
        driver.get(page_path.as_uri())
        wait(driver, "return Boolean(inertialCheck.figure.view)")
