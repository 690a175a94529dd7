import pytest

from inertial_check.checking.engines import ENGINES
from inertial_check.checking.pages import find_rule
from inertial_check.checking.report import Severity
from inertial_check.checking.rules.catalogue import ALL_RULES
from inertial_check.checking.settings import Settings, codes_of
from inertial_check.errors import UsageError


def test_the_preset_strict_is_every_doubt_and_strict():
    settings = Settings(preset="strict").validate()
    assert (settings.strict, settings.strictness) == (True, "strict")
    assert settings.fail_on is Severity.WARNING
    assert settings.severity(find_rule("IC306")) is Severity.WARNING


def test_strict_alone_does_not_ask_for_every_doubt():
    settings = Settings(strict=True).validate()
    assert (settings.strictness, settings.fail_on) == ("default", Severity.WARNING)


@pytest.mark.parametrize(
    ("fail_on", "then"),
    [(Severity.ERROR, Severity.WARNING), (Severity.NOTE, Severity.NOTE), (None, None)],
)
@pytest.mark.parametrize("how", [{"strict": True}, {"preset": "strict"}])
def test_strict_lowers_what_fails_and_never_raises_it(how, fail_on, then):
    assert Settings(fail_on=fail_on, **how).validate().fail_on is then


@pytest.mark.parametrize("engine", ENGINES)
def test_a_simulator_is_an_engine_and_nothing_else(engine):
    settings = Settings(preset=f"simulator:{engine}").validate()
    assert settings == Settings(preset=f"simulator:{engine}", engines=(engine,)).validate()
    assert (settings.strict, settings.strictness) == (False, "default")
    assert settings.rules() == ALL_RULES


def test_presets_together():
    settings = Settings(preset="simulator:drake, strict", engines=("mujoco", "drake")).validate()
    assert (settings.engines, settings.strictness) == (("mujoco", "drake"), "strict")
    assert settings.validate() == settings


@pytest.mark.parametrize("preset", ["", "strikt", "strict,", "simulator:", "simulator:mujocco"])
def test_unknown_presets(preset):
    with pytest.raises(UsageError, match="unknown preset"):
        Settings(preset=preset).validate()


def test_what_selectors_mean():
    every = {rule.code for rule in ALL_RULES}
    assert codes_of("ALL") == every
    assert codes_of("IC30") == {code for code in every if code.startswith("IC30")}
    assert codes_of("negative-mass") == codes_of("IC101") == {"IC101"}
    assert codes_of("IC8") == codes_of("negative") == codes_of("") == frozenset()


def test_the_more_specific_wins():
    def on(**chosen):
        return {rule.code for rule in Settings(**chosen).validate().rules()}

    assert "IC301" in on(select=("IC301",), ignore=("IC3",))
    assert "IC301" not in on(select=("IC3",), ignore=("IC301",))
    assert "IC301" not in on(select=("IC3",), ignore=("IC3",))
