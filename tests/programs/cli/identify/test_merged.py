"""Bodies on fixed joints in `identify`: the report names them, and the written robot has them."""

import json

import numpy as np

import inertial_check as ic
import recorded

CAMERA = """<link name="camera"><inertial><origin xyz="0 0.01 0.02"/><mass value="{mass}"/>
  <inertia ixx="0.0002" ixy="0" ixz="0" iyy="0.0002" iyz="0" izz="0.0001"/></inertial></link>
<joint name="mount" type="fixed"><parent link="tool0"/><child link="camera"/>
  <origin xyz="0.02 0 -0.1"/></joint></robot>"""


def test_the_report_and_the_file_have_the_parts(run, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    text = recorded.ROBOT.read_text().replace("</robot>", CAMERA.format(mass=0.1))
    (tmp_path / "arm.urdf").write_text(text)
    recorded.written(tmp_path, recorded.with_friction(seed=1, noise=1.0))
    common = ("identify", "r.npz", "--model", "arm.urdf")
    code, out, _ = run(*common, "--output-format", "json", "-o", "out.urdf")
    assert code == 0
    document = json.loads(out)
    (merged,) = document["merged"]
    assert [part["name"] for part in merged["parts"]] == ["forearm", "camera"]
    (body,) = [each for each in document["bodies"] if each["name"] == "forearm"]
    theta = np.array([part["theta"] for part in merged["parts"]])
    assert np.isclose(theta[:, 0].sum(), body["mass"], rtol=1e-14)
    written = ic.load("out.urdf")
    masses = dict(zip(written.names, np.asarray(written.theta)[:, 0].tolist(), strict=True))
    assert [masses["forearm"], masses["camera"]] == theta[:, 0].tolist()
    assert document["written"]["complete"]
    code, out, _ = run(*common, "--no-merge-fixed", "--output-format", "json")
    assert code == 0
    document = json.loads(out)
    assert not document["merged"]
    assert "camera" in [each["name"] for each in document["bodies"]]
    code, out, _ = run(*common, "--payload", "forearm", "--merge-fixed")
    assert (code, out) == (2, "")
