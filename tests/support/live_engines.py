"""Loads documents in an engine; a script, for the interpreter that has the engine.

    python live_engines.py ENGINE < documents.json > results.json

documents.json is a list of [format, text]; the bodies of interest are called "link". A result has
`error` (why nothing was loaded, or null), `log` (what was printed or warned), and where the engine
shows the body `mass` [kg], `moments` (ascending) [kg m^2], the `tensor` in the body's axes and, in
some, `com` [m], else null.
"""

import json
import logging
import math
import os
import sys
import tempfile
import warnings

import numpy as np


def result(error=None, log="", mass=None, tensor=None, com=None):
    moments = None
    if tensor is not None:
        tensor = np.asarray(tensor, dtype=float)
        finite = np.all(np.isfinite(tensor))
        moments = np.linalg.eigvalsh(tensor).tolist() if finite else [math.nan] * 3
        tensor = tensor.tolist()
    return {
        "error": error,
        "log": log,
        "mass": None if mass is None else float(mass),
        "moments": moments,
        "tensor": tensor,
        "com": None if com is None else [float(x) for x in com],
    }


def decode_usd(text):
    """What MuJoCo's decoder of USD makes of bodies of boxes: it copies what is authored."""
    import mujoco
    from pxr import Sdf, Usd, UsdGeom, UsdPhysics

    layer = Sdf.Layer.CreateAnonymous(".usda")
    layer.ImportFromString(text)
    stage, spec, body = Usd.Stage.Open(layer), mujoco.MjSpec(), None
    for prim in stage.Traverse():
        mass = UsdPhysics.MassAPI(prim) if prim.HasAPI(UsdPhysics.MassAPI) else None
        if prim.HasAPI(UsdPhysics.RigidBodyAPI):
            body = spec.worldbody.add_body(name=prim.GetName())
            body.add_freejoint()
            for attribute, name in (
                ()
                if mass is None
                else (
                    (mass.GetMassAttr(), "mass"),
                    (mass.GetCenterOfMassAttr(), "ipos"),
                    (mass.GetDiagonalInertiaAttr(), "inertia"),
                    (mass.GetPrincipalAxesAttr(), "iquat"),
                )
            ):
                if attribute.HasAuthoredValue():
                    value = attribute.Get()
                    if name == "iquat":
                        value = [value.real, *value.imaginary]
                    setattr(body, name, value if name == "mass" else [float(v) for v in value])
        if prim.HasAPI(UsdPhysics.CollisionAPI):
            half = UsdGeom.Cube(prim).GetSizeAttr().Get() / 2
            body.add_geom(type=mujoco.mjtGeom.mjGEOM_BOX, size=[half] * 3)
    return spec


def mujoco():
    import mujoco

    def load(format_, text):
        try:
            read = decode_usd if format_ == "usd" else mujoco.MjSpec.from_string
            model = read(text).compile()
        except ValueError as error:
            return result(str(error))
        body = mujoco.mj_name2id(model, mujoco.mjtObj.mjOBJ_BODY, "link")
        if body < 0:
            return result()
        R_BI = np.zeros(9)
        mujoco.mju_quat2Mat(R_BI, model.body_iquat[body])
        R_BI = R_BI.reshape(3, 3)
        tensor = R_BI @ np.diag(model.body_inertia[body]) @ R_BI.T
        return result(mass=model.body_mass[body], tensor=tensor, com=model.body_ipos[body])

    return load


def drake():
    from pydrake.multibody.parsing import Parser
    from pydrake.multibody.plant import MultibodyPlant

    lines = []
    logger = logging.getLogger("drake")
    handler = logging.Handler()
    handler.emit = lambda record: lines.append(record.getMessage())
    logger.handlers, logger.propagate = [handler], False
    kinds = {"urdf": "urdf", "sdf": "sdf", "mjcf": "xml"}

    def load(format_, text):
        lines.clear()
        plant = MultibodyPlant(0.0)
        try:
            Parser(plant).AddModelsFromString(text, kinds[format_])
        except (RuntimeError, ValueError) as error:
            return result(str(error), "\n".join(lines))
        inertia = plant.GetBodyByName("link").default_spatial_inertia()
        mass = inertia.get_mass()
        tensor = np.zeros((3, 3))
        if mass > 0:
            central = inertia.Shift(inertia.get_com()).CalcRotationalInertia()
            tensor = central.CopyToFullMatrix3()
        return result(None, "\n".join(lines), mass, tensor, inertia.get_com())

    def guarded(format_, text):
        """Load an MJCF in a copy of the process, which one without mass ends."""
        if format_ != "mjcf":
            return load(format_, text)
        here, there = os.pipe()
        child = os.fork()
        if not child:
            os.dup2(there, 2)
            answer = json.dumps(load(format_, text))
            os.write(there, b"\0" + answer.encode())
            os._exit(0)
        os.close(there)
        with os.fdopen(here, encoding="utf-8", errors="replace") as pipe:
            said, _, answer = pipe.read().partition("\0")
        _, status = os.waitpid(child, 0)
        return result(said, said) if status else json.loads(answer)

    return guarded


def pinocchio():
    import pinocchio

    def load(format_, text):
        try:
            if format_ == "urdf":
                model = pinocchio.buildModelFromXML(text)
            else:
                with _file(text, ".xml") as path:
                    model = pinocchio.buildModelFromMJCF(path)
        except Exception as error:  # of Boost, of TinyXML, of its own
            return result(str(error))
        if model.njoints < 2:
            return result()
        inertia = model.inertias[1]
        return result(None, "", inertia.mass, inertia.inertia, inertia.lever)

    return load


def newton():
    import newton
    import warp

    warp.config.quiet = True

    def load(format_, text):
        builder = newton.ModelBuilder()
        with warnings.catch_warnings(record=True) as said:
            warnings.simplefilter("always")
            try:
                if format_ == "usd":
                    with _file(text, ".usda") as path:
                        builder.add_usd(path)
                else:
                    (builder.add_urdf if format_ == "urdf" else builder.add_mjcf)(text)
                model = builder.finalize(device="cpu")
            except Exception as error:  # of ElementTree, of numpy, of its own
                return result(f"{type(error).__name__}: {error}")
        log = "\n".join(str(warning.message) for warning in said)
        mass, tensor = model.body_mass.numpy()[-1], model.body_inertia.numpy()[-1]
        return result(None, log, mass, tensor, model.body_com.numpy()[-1])

    return load


def pybullet():
    import pybullet

    pybullet.connect(pybullet.DIRECT)
    pybullet.setPhysicsEngineParameter(enableFileCaching=0)

    def load(format_, text):
        with _file(text, ".urdf") as path:
            try:
                body = pybullet.loadURDF(path, flags=pybullet.URDF_USE_INERTIA_FROM_FILE)
            except pybullet.error as error:
                return result(str(error))
        mass, _, moments, *_ = pybullet.getDynamicsInfo(body, 0)
        pybullet.resetSimulation()
        return result(None, "", mass, np.diag(moments))

    return load


def idyntree():
    from idyntree import swig

    def load(format_, text):
        loader = swig.ModelLoader()
        if not loader.loadModelFromString(text):
            return result("not loaded")
        model = loader.model()
        if model.getNrOfLinks() < 2:  # a fixed joint makes the link a frame of the base
            return result()
        inertia = model.getLink(model.getLinkIndex("link")).getInertia()
        tensor = inertia.getRotationalInertiaWrtCenterOfMass().toNumPy()
        return result(None, "", inertia.getMass(), tensor)

    return load


def dart():
    import dartpy

    loader = dartpy.utils.DartLoader()

    def load(format_, text):
        with _file(text, ".urdf") as path:
            skeleton = loader.parseSkeleton(path)
        if skeleton is None:
            return result("not loaded")
        inertia = skeleton.getBodyNode("link").getInertia()
        return result(None, "", inertia.getMass(), inertia.getMoment())

    return load


def genesis():
    import genesis

    genesis.init(backend=genesis.cpu, logging_level="warning")
    lines = []
    handler = logging.Handler()
    handler.emit = lambda record: lines.append(record.getMessage())
    genesis.logger._logger.handlers = [handler]

    def load(format_, text):
        lines.clear()
        with _file(text, ".urdf" if format_ == "urdf" else ".xml") as path:
            morph = (
                genesis.morphs.URDF(file=path, fixed=True, merge_fixed_links=False)
                if format_ == "urdf"
                else genesis.morphs.MJCF(file=path)
            )
            try:
                genesis.Scene(show_viewer=False).add_entity(morph)
            except (genesis.GenesisException, ValueError) as error:
                return result(str(error), "\n".join(lines))
        return result(None, "\n".join(lines))

    return load


def physx():
    from pxr import Gf, Usd, UsdGeom, UsdPhysics

    def load(format_, text):
        mass, moments = json.loads(text)
        stage = Usd.Stage.CreateInMemory()
        UsdGeom.SetStageMetersPerUnit(stage, 1.0)
        UsdPhysics.SetStageKilogramsPerUnit(stage, 1.0)
        prim = UsdGeom.Xform.Define(stage, "/link").GetPrim()
        body = UsdPhysics.RigidBodyAPI.Apply(prim)
        api = UsdPhysics.MassAPI.Apply(prim)
        api.CreateMassAttr(mass)
        api.CreateDiagonalInertiaAttr(Gf.Vec3f(*moments))
        computed, inertia, *_ = body.ComputeMassProperties(lambda prim: None)
        return result(None, "", computed, np.diag(inertia))

    return load


def nvidia():
    import usd_validation_nvidia

    registry = usd_validation_nvidia.get_category_rules_registry()
    rules = {
        rule.__name__: rule for name in registry.categories for rule in registry.get_rules(name)
    }
    validator = usd_validation_nvidia.ValidationEngine(init_rules=False)
    for name in ("MassChecker", "RigidBodyHasMassAPI", "RigidBodyMassChecker"):
        validator.enable_rule(rules[name])
    for name in ("NestedRigidBodyMassChecker", "NewtonMassAttributesChecker"):
        validator.enable_rule(rules[name])

    def load(format_, text):
        with _file(text, ".usda") as path:
            found = validator.validate(path).issues()
        # PXR_USD_... information is no failure.
        failed = [each for each in found if each.severity.name in ("FAILURE", "ERROR")]
        names = [each.rule.__name__ if each.rule else str(each.message) for each in failed]
        return result(log="\n".join(sorted(set(names))))

    return load


def rep0158():
    from compliance_checker.checker import ComplianceChecker

    def load(format_, text):
        with _file(text, ".usda") as path:
            found = ComplianceChecker.from_path(path, sections=["1.1", "1.3"]).run().violations
        wanted = ("1.1.1", "1.1.2", "1.1.3", "1.1.5", "1.3.3")
        return result(log="\n".join(sorted({v.check_id for v in found if v.check_id in wanted})))

    return load


class _file:
    """A document in a file of a name that was never used before."""

    count = 0
    folder = None

    def __init__(self, text, suffix):
        if _file.folder is None:
            _file.folder = tempfile.TemporaryDirectory()
        _file.count += 1
        self.path = os.path.join(_file.folder.name, f"{_file.count}{suffix}")
        with open(self.path, "w", encoding="utf-8") as stream:
            stream.write(text)

    def __enter__(self):
        return self.path

    def __exit__(self, *_):
        os.unlink(self.path)


def main():
    results = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # engines print to stdout; the results alone shall stand there
    load = globals()[sys.argv[1]]()
    answers = []
    for format_, text in json.load(sys.stdin):
        answers.append(load(format_, text))
    json.dump(answers, results)
    results.close()
    sys.stderr.flush()
    os._exit(0)  # some engines do not come down in order


if __name__ == "__main__":
    main()
