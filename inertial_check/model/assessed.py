"""Assessment of an identification as it is reported: base parameters, runs and residuals."""

from __future__ import annotations

from typing import NamedTuple

Row = tuple[float, ...]


class BaseTermValue(NamedTuple):
    """A single parameter in a base parameter.

    Attributes:
        coefficient: Its factor; 1 for the first, which is the parameter that stays.
        parameter: m, hx, ..., Izz of a body, or the name of a friction number.
        body: Name of the body; None for a number beside the bodies.
    """

    coefficient: float
    parameter: str
    body: str | None


class BaseValue(NamedTuple):
    """A row of the table of base parameters.

    Attributes:
        name: The combination in symbols, as "Iyy(upper) + 0.16 m(lower)".
        unit: SI unit; "" if not known.
        value: By weighted least squares, without prior, cones and bounds [unit].
        standard_deviation: Of the value [unit].
        percent: Standard deviation in per cent of the value; infinite for 0.
        identified: Of the identified bodies [unit].
        birge_ratio: Spread between runs, in units of the deviations; NaN without several runs.
        terms: The combination as numbers.
    """

    name: str
    unit: str
    value: float
    standard_deviation: float
    percent: float
    identified: float
    birge_ratio: float
    terms: tuple[BaseTermValue, ...]


class RunValues(NamedTuple):
    """Base parameters of one recording alone.

    Attributes:
        path: The recording.
        values: (b,) weighted least squares; NaN where the recording does not decide one.
        standard_deviations: (b,) of these; infinite there.
        deviations: (b,) differences from the fit of all, in deviations of the difference.
    """

    path: str
    values: Row
    standard_deviations: Row
    deviations: Row


class BaseTable(NamedTuple):
    """The table of base parameters.

    Attributes:
        parameters: (b,) rows.
        covariance: (b, b) of the values.
        condition: Condition number of their regressor with columns of length one.
        runs: Each recording alone; () for a single one.
        birge_ratio: Root mean square of the rows' ratios; NaN without several runs.
    """

    parameters: tuple[BaseValue, ...]
    covariance: tuple[Row, ...]
    condition: float
    runs: tuple[RunValues, ...] = ()
    birge_ratio: float = float("nan")

    def as_dict(self) -> dict[str, object]:
        """The table as mappings and sequences."""
        rows = [
            {**each._asdict(), "terms": [term._asdict() for term in each.terms]}
            for each in self.parameters
        ]
        return {
            **self._asdict(),
            "parameters": rows,
            "runs": [run._asdict() for run in self.runs],
        }


class ResidualWhiteness(NamedTuple):
    """Ljung and Box's test of a joint's residuals; attributes as of `residuals.Whiteness`."""

    first: float
    statistic: float
    lags: int
    p_value: float
    spacing: int
    alike: float


class ResidualSpectrum(NamedTuple):
    """Spectrum of a joint's residuals; attributes as of `residuals.Spectrum`."""

    frequency: Row
    density: Row
    peak: float
    peak_share: float
    slow_share: float


class ResidualCourse(NamedTuple):
    """Mean residual of a joint by velocity; attributes as of `residuals.VelocityCourse`."""

    velocity: Row
    mean: Row
    standard_error: Row
    share: float


class JointResiduals(NamedTuple):
    """Residuals of one joint in the fitted recordings, measured less predicted.

    Attributes:
        joint: Its name.
        unit: Of the torque, "N m"; of a force, "N".
        samples: Number of samples that were analysed.
        rms: Root mean square [unit].
        mean: Mean [unit].
        whiteness: Test for autocorrelation; None for too few samples.
        spectrum: Power spectral density; None without a rate.
        course: Mean by velocity; None without a motion.
    """

    joint: str
    unit: str
    samples: int
    rms: float
    mean: float
    whiteness: ResidualWhiteness | None = None
    spectrum: ResidualSpectrum | None = None
    course: ResidualCourse | None = None

    def as_dict(self) -> dict[str, object]:
        """The analysis as mappings and sequences."""
        parts = {"whiteness": self.whiteness, "spectrum": self.spectrum, "course": self.course}
        return {
            **self._asdict(),
            **{name: None if part is None else part._asdict() for name, part in parts.items()},
        }
