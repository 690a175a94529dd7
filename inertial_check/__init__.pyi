"""The public names of the package and the module of each; `__init__.py` loads them from here.

This list is the only one: type checkers read it as the interface of the package.
"""

from inertial_check.checking.check import check_model as check_model
from inertial_check.documents.load import load as load
from inertial_check.errors import DocumentError as DocumentError
from inertial_check.errors import InertialCheckError as InertialCheckError
from inertial_check.errors import ParameterError as ParameterError
from inertial_check.errors import ProjectionError as ProjectionError
from inertial_check.errors import UsageError as UsageError
from inertial_check.fixing.diff import diff_models as diff_models
from inertial_check.fixing.edits import fix_model as fix_model
from inertial_check.fixing.fill.fill import fill as fill
from inertial_check.identification.fit.base import BaseParameters as BaseParameters
from inertial_check.identification.fit.base import base_parameters as base_parameters
from inertial_check.identification.fit.cleaning import Cleaned as Cleaned
from inertial_check.identification.fit.cleaning import clean as clean
from inertial_check.identification.fit.identify import identify as identify
from inertial_check.identification.fit.nuisance import Nuisance as Nuisance
from inertial_check.identification.fit.online import OnlineIdentification as OnlineIdentification
from inertial_check.identification.fit.payload import Payload as Payload
from inertial_check.identification.fit.payload import identify_payload as identify_payload
from inertial_check.identification.fit.published import identify_from_base as identify_from_base
from inertial_check.identification.fit.result import Identification as Identification
from inertial_check.identification.fit.samples import Samples as Samples
from inertial_check.inertia.consistency import Consistency as Consistency
from inertial_check.inertia.consistency import Verdict as Verdict
from inertial_check.inertia.consistency import check as check
from inertial_check.inertia.consistency import realize as realize
from inertial_check.inertia.parameters import InertialParameters as InertialParameters
from inertial_check.inertia.randomisation import sample as sample
from inertial_check.projection.project import project as project
from inertial_check.projection.result import Projection as Projection
from inertial_check.reports import plots as plot  # noqa: F401 - a public name
from inertial_check.running.table import Findings as Findings
from inertial_check.running.table import check_models as check_models

__version__: str
__all__: list[str]
