"""The public names of the package and the module of each; `__init__.py` loads them from here.

This list is the only one: type checkers read it as the interface of the package.
"""

from inertial_check import plotting as plot  # noqa: F401 - a public name
from inertial_check.checking.check import check_model as check_model
from inertial_check.comparing.diff import diff_models as diff_models
from inertial_check.errors import DocumentError as DocumentError
from inertial_check.errors import InertialCheckError as InertialCheckError
from inertial_check.errors import ParameterError as ParameterError
from inertial_check.errors import ProjectionError as ProjectionError
from inertial_check.errors import UsageError as UsageError
from inertial_check.filling.fill import fill as fill
from inertial_check.fixing.fix import fix_model as fix_model
from inertial_check.formats import load as load
from inertial_check.identification.estimation.base import BaseParameters as BaseParameters
from inertial_check.identification.estimation.base import base_parameters as base_parameters
from inertial_check.identification.estimation.cleaning import Cleaned as Cleaned
from inertial_check.identification.estimation.cleaning import clean as clean
from inertial_check.identification.estimation.from_base import (
    identify_from_base as identify_from_base,
)
from inertial_check.identification.estimation.identify import identify as identify
from inertial_check.identification.estimation.nuisance import Nuisance as Nuisance
from inertial_check.identification.estimation.result import Identification as Identification
from inertial_check.identification.estimation.sampled import Samples as Samples
from inertial_check.identification.online.estimator import (
    OnlineIdentification as OnlineIdentification,
)
from inertial_check.identification.payload.identify import Payload as Payload
from inertial_check.identification.payload.identify import identify_payload as identify_payload
from inertial_check.inertia.consistency import Consistency as Consistency
from inertial_check.inertia.consistency import Verdict as Verdict
from inertial_check.inertia.consistency import check as check
from inertial_check.inertia.consistency import realize as realize
from inertial_check.inertia.parameters import InertialParameters as InertialParameters
from inertial_check.inertia.randomisation import sample as sample
from inertial_check.projection.project import project as project
from inertial_check.projection.result import Projection as Projection

__version__: str
__all__: list[str]
