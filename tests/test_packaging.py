"""What a release is made of: metadata that depends on the host, checks of a tag, workflows."""

import importlib.util
import re

import pytest
import yaml

LINK = re.compile(r"\]\((?!https://|#)([^)\s]+)\)")


def load_script(path):
    specification = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(module)
    return module


@pytest.fixture
def hook(project_root, monkeypatch):
    pytest.importorskip("hatchling", reason="the package is built with it: pip install hatchling")
    for name in ("INERTIAL_CHECK_REPOSITORY", "INERTIAL_CHECK_DOCUMENTATION"):
        monkeypatch.delenv(name, raising=False)
    return load_script(project_root / "hatch_build.py")


def read_metadata(hook, root):
    metadata = {"version": "1.2.3"}
    hook.AddressHook(str(root), {}).update(metadata)
    return metadata["urls"], metadata["readme"]["text"]


def test_a_build_that_is_told_no_address_names_none(hook, project_root):
    urls, readme = read_metadata(hook, project_root)
    assert urls == {}
    assert readme == (project_root / "README.md").read_text(encoding="utf-8")


def test_the_readme_of_a_release_has_links_that_a_package_index_can_follow(
    hook, project_root, monkeypatch
):
    """Catches relative links, which are dead on the page of a package index."""
    monkeypatch.setenv("INERTIAL_CHECK_REPOSITORY", "https://example.org/fork/inertial_check/")
    urls, readme = read_metadata(hook, project_root)
    assert urls["Repository"] == "https://example.org/fork/inertial_check"
    assert "Documentation" not in urls  # reports would link to pages that are not there
    assert LINK.findall((project_root / "README.md").read_text(encoding="utf-8"))
    assert not LINK.findall(readme)
    assert "(https://example.org/fork/inertial_check/blob/v1.2.3/docs/python.md)" in readme


def test_pictures_are_linked_as_files_and_anchors_stay(hook):
    text = "![arm](docs/arm.svg) [![x](a.svg)](https://example.org) [up](#top) [p](docs/a.md#b)"
    assert hook.make_links_absolute(text, "https://h.org/o/r", "v1") == (
        "![arm](https://h.org/o/r/raw/v1/docs/arm.svg) "
        "[![x](https://h.org/o/r/raw/v1/a.svg)](https://example.org) [up](#top) "
        "[p](https://h.org/o/r/blob/v1/docs/a.md#b)"
    )


def test_a_source_distribution_keeps_its_addresses(hook, tmp_path, monkeypatch):
    (tmp_path / "README.md").write_text("[a](b.md)", encoding="utf-8")
    (tmp_path / "PKG-INFO").write_text(
        "Metadata-Version: 2.4\nProject-URL: Repository, https://h.org/o/r\n\n[a](b.md)\n"
    )
    urls, readme = read_metadata(hook, tmp_path)
    assert urls == {"Repository": "https://h.org/o/r"}
    assert readme == "[a](https://h.org/o/r/blob/v1.2.3/b.md)"
    monkeypatch.setenv("INERTIAL_CHECK_REPOSITORY", "javascript:alert(1)")
    with pytest.raises(ValueError, match="INERTIAL_CHECK_REPOSITORY: 'javascript:alert"):
        read_metadata(hook, tmp_path)


def test_a_tag_that_does_not_match_the_files_stops_a_release(project_root):
    script = load_script(project_root / ".github" / "check_tag.py")
    assert any(
        "tag v9.9.9, but pyproject.toml has" in each for each in script.find_mistakes("v9.9.9")
    )


def test_every_requirement_has_a_least_version(project_root):
    script = load_script(project_root / ".github" / "least_versions.py")
    assert script.list_least_versions(["numpy>=2.0", "dask[x]>=1,<3"]) == ["numpy==2.0", "dask==1"]
    with pytest.raises(ValueError, match="without a least version"):
        script.list_least_versions(["numpy"])


def test_workflows_use_files_that_exist_and_give_no_job_more_rights_than_it_needs(project_root):
    for path in sorted((project_root / ".github" / "workflows").glob("*.yml")):
        text = path.read_text(encoding="utf-8")
        for name in re.findall(r"(?:tests/\w+|\.github/\w+\.py|data/\w+[./\w-]*)", text):
            assert (project_root / name).exists(), (path.name, name)
        workflow = yaml.safe_load(text)
        assert workflow["permissions"] == {"contents": "read"}, path.name
        for job in workflow["jobs"].values():
            for step in job["steps"]:
                assert "${{ github.event" not in step.get("run", ""), path.name
