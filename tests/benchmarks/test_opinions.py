"""Warnings on sound bodies: judged by the first review that fits, counted once a fact."""

import csv
from dataclasses import replace

import numpy as np
import pytest
from planting.corpora import collect
from planting.opinions import Review, figures, opinions, reviews, write_table
from planting.runs import Run, Said
from planting.shapes import content, largest_angle, measure, misfit
from planting.sites import Site

import inertial_check as ic

BAR = """<robot name="r"><link name="{name}"><inertial><origin xyz="0 0 0.1"/><mass value="{mass}"/>
<inertia ixx="0.005" ixy="0" ixz="0" iyy="0.01" iyz="0" izz="0.013"/></inertial><visual>
<origin xyz="0 0 0.1"/><geometry><box size="0.3 0.2 0.1"/></geometry></visual></link></robot>
"""
UPSTREAM = "upkie+upkie_description"


def bar(file, name="bar", mass="1.2"):
    model = ic.load(BAR.format(name=name, mass=mass).encode())
    return Site(f"{UPSTREAM}/{file}", model, 0, frozenset([0]))


def warned(*sites):
    causes = ("wrong-frame",)
    return {
        site.file: Run((Said(site.body.id, (), "IC504", 2, causes, 0.9, "turned"),), frozenset(), 0)
        for site in sites
    }


def test_shapes_are_measured_with_the_mass_of_the_body():
    measured = measure(bar("a.urdf"), "visual")
    assert measured.volume == pytest.approx(0.006)
    assert measured.centroid == pytest.approx([0, 0, 0.1])
    assert measured.tensor == pytest.approx(np.diag([0.005, 0.01, 0.013]))
    assert misfit(bar("a.urdf"), measured) == pytest.approx(0, abs=1e-12)
    assert largest_angle(bar("a.urdf"), measured) == pytest.approx(0, abs=1e-5)
    assert measure(bar("a.urdf"), "collision") is None


def test_the_sign_of_a_product_is_that_of_the_tensor():
    """A bar that rises with x has a negative ixz."""
    site = bar("a.urdf")
    (shape,) = site.body.shapes
    c, s = np.cos(-0.5), np.sin(-0.5)
    leaning = shape._replace(R_BG=((c, 0.0, s), (0.0, 1.0, 0.0), (-s, 0.0, c)))
    body = site.body._replace(shapes=(leaning,))
    model = replace(site.model, bodies=(body,))
    assert measure(Site(site.file, model, 0), "visual").tensor[0, 2] < 0


def test_names_make_no_other_fact_and_numbers_do():
    assert content(bar("a.urdf")) == content(bar("b.urdf", name="arm"))
    assert content(bar("a.urdf")) != content(bar("a.urdf", mass="1.3"))


def test_the_same_body_in_two_files_is_one_fact():
    sites = [bar("a.urdf"), bar("b.urdf"), bar("c.urdf", mass="1.3")]
    found = opinions(sites, warned(*sites))
    counted = figures(sites, found, "untouched")
    assert (counted.bodies, counted.distinct, counted.raw, counted.facts) == (3, 2, 3, 2)
    assert counted.fact_rate("unreviewed") == 1000
    assert figures(sites, found, "tuned").bodies == 0


def test_a_finding_of_the_model_is_one_opinion():
    site = bar("a.urdf")
    of_model = Said(None, (site.body.id, "other"), "IC504", 2, (), 0.0, "all turned")
    unsound = Said(None, ("other",), "IC504", 2, (), 0.0, "all turned")
    (found,) = opinions([site], {site.file: Run((of_model, unsound), frozenset(), 0.0)})
    assert (found.body, found.bodies) == ("", ("bar",))


def test_an_error_of_the_numbers_is_no_opinion():
    site = bar("a.urdf")
    proof = Said("bar", (), "IC301", 3, (), 0.0, "impossible")
    assert opinions([site], {site.file: Run((proof,), frozenset(), 0.0)}) == []


def test_the_first_review_that_fits_counts(tmp_path):
    path = tmp_path / "reviews.txt"
    path.write_text(
        "# a comment\n[false]\nIC504 | */a.urdf | bar | why not\n"
        "[right]\nIC502,IC504 | * | b* | why\n[open]\nIC601 | * | * | who knows\n"
    )
    found = reviews(path)
    assert found[0] == Review("false", "IC504", "*/a.urdf", "bar", "why not")
    first = next(each for each in found if each.covers("IC504", "x/a.urdf", "bar"))
    assert first.verdict == "false"
    assert [each.verdict for each in found] == ["false", "right", "open"]


def test_every_review_that_is_kept_has_a_reason():
    assert all(review.reason and review.codes.startswith("IC") for review in reviews())


def test_the_table_has_the_numbers_of_the_shapes(tmp_path):
    site = bar("a.urdf")
    write_table(opinions([site], warned(site)), tmp_path / "table.tsv")
    with (tmp_path / "table.tsv").open() as file:
        (row,) = csv.DictReader(file, delimiter="\t")
    assert row["visual: density"] == "200"
    assert row["visual: misfit"] == "0.000"
    assert row["written"] == "0.005 0 0 0.01 0 0.013"


def test_bodies_without_a_table_of_truths_are_judged_by_their_decimals(tmp_path):
    folder = tmp_path / "corpus" / UPSTREAM
    folder.mkdir(parents=True)
    (folder / "good.urdf").write_text(BAR.format(name="bar", mass="1.2"))
    (folder / "bad.urdf").write_text(BAR.format(name="bar", mass="1.2").replace("0.005", "0.0005"))
    (folder / "notes.txt").write_text("no model")
    collection = collect([tmp_path / "corpus"], 1, tmp_path / "cache")
    assert [site.file for site in collection.sites] == [f"{UPSTREAM}/good.urdf"]
    assert len(collection.models) == 2
    again = collect([tmp_path / "corpus"], 1, tmp_path / "cache")
    assert [site.texts for site in again.sites] == [site.texts for site in collection.sites]
