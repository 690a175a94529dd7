"""Inertial numbers of all bodies of a document, as MuJoCo and Drake have them after loading it."""

import multiprocessing
import re

import numpy as np

FORK = multiprocessing.get_context("fork")  # the engine stays imported

SHAPES = re.compile(rb"<(visual|collision)\b(?:[^<>]*/>|.*?</\1\s*>)", re.DOTALL)
EXTENSIONS = re.compile(
    rb"<(gazebo|transmission|plugin|sensor|material|mujoco)\b(?:[^<>]*/>|.*?</\1\s*>)", re.DOTALL
)
COMPILER = (
    b'<mujoco><compiler fusestatic="false" discardvisual="false" balanceinertia="false"/></mujoco>'
)


def without_shapes(data):
    """The document without shapes and extensions: neither is to decide whether it loads."""
    data = re.sub(rb"<!--.*?-->", b"", data, flags=re.DOTALL)
    return SHAPES.sub(b"", EXTENSIONS.sub(b"", data))


def load_in_mujoco(data, kind):
    """Mass, centre and tensor about it, in the axes of the body, by the names of bodies."""
    import mujoco

    if kind == "urdf":
        data = re.sub(rb"(<robot\b[^>]*>)", rb"\1" + COMPILER, without_shapes(data), count=1)
    model = mujoco.MjModel.from_xml_string(data.decode())
    found = {}
    for index in range(model.nbody):
        turn = np.zeros(9)
        mujoco.mju_quat2Mat(turn, model.body_iquat[index])
        R = turn.reshape(3, 3)
        tensor = R @ np.diag(model.body_inertia[index]) @ R.T
        name = model.body(index).name
        found[name] = (float(model.body_mass[index]), model.body_ipos[index].copy(), tensor)
    return found


def load_in_drake(data, kind):
    """Mass, centre and tensor about it, in the axes of the body, by the names of bodies."""
    from pydrake.multibody.parsing import Parser
    from pydrake.multibody.plant import MultibodyPlant
    from pydrake.multibody.tree import BodyIndex

    plant = MultibodyPlant(0.0)
    text = (data if kind == "mjcf" else without_shapes(data)).decode()
    Parser(plant).AddModelsFromString(text, {"mjcf": "xml"}.get(kind, kind))
    found = {}
    for index in range(1, plant.num_bodies()):
        body = plant.get_body(BodyIndex(index))
        inertia = body.default_spatial_inertia()
        mass, center = inertia.get_mass(), np.array(inertia.get_com())
        about = inertia.CalcRotationalInertia().CopyToFullMatrix3()
        shift = mass * (center @ center * np.eye(3) - np.outer(center, center))
        found[body.name()] = (mass, center, about - shift)
    return found


def deviation(loaded, body):
    """Largest deviation of loaded numbers from those of a filled body, relative to its size."""
    mass, center, tensor = loaded
    wanted = np.asarray(body.inertia_com)
    reach = np.sqrt(np.trace(wanted) / float(body.mass)) + np.linalg.norm(body.com)
    return max(
        abs(mass / float(body.mass) - 1),
        float(np.linalg.norm(center - np.asarray(body.com)) / reach),
        float(np.linalg.norm(tensor - wanted) / (float(body.mass) * reach**2)),
    )


def load_in_child(load, data, kind):
    """What a loader gives, from a child process: Drake ends the process of some documents.

    Raises:
        ValueError: The document does not load.
    """
    receiver, sender = FORK.Pipe(duplex=False)
    child = FORK.Process(target=_send, args=(load, data, kind, sender))
    child.start()
    sender.close()
    try:
        found = receiver.recv()
    except EOFError:
        found = "the process ended"
    child.join()
    if isinstance(found, str):
        raise ValueError(found)
    return found


def _send(load, data, kind, sender):
    try:
        sender.send(load(data, kind))
    except (RuntimeError, ValueError) as error:
        sender.send(str(error))
