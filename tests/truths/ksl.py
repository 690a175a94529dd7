"""Three other routes to M_ff, as KSL's documentation of its inertia writes them, in NumPy."""

from __future__ import annotations

import numpy as np

from clouds import skew
from inertial_check.inertia.arrays import Floats
from inertial_check.mechanics import compact


def m_ff_by_adjoints(terms: Floats, D_fb: Floats) -> Floats:
    """[Ad]*_fb [Ad]*_bc M_cc [Ad]_cb [Ad]_bf, multiplied out (eqs. 1-5 and 9)."""
    m, I_c, r_bc = read(terms)
    D_bc = np.eye(4)
    D_bc[:3, 3] = r_bc
    M_cc = np.zeros((6, 6))
    M_cc[:3, :3], M_cc[3:, 3:] = m * np.eye(3), I_c
    force = compact.coadjoint(D_fb) @ compact.coadjoint(D_bc)
    motion = compact.adjoint(np.linalg.inv(D_bc)) @ compact.adjoint(np.linalg.inv(D_fb))
    return np.asarray(force @ M_cc @ motion)


def m_ff_by_blocks(terms: Floats, D_fb: Floats) -> Floats:
    """By 3x3 blocks in the axes of c until the end, with r = r_cf in those axes (eqs. 6-8)."""
    m, I_c, r_bc = read(terms)
    R_fc, t_fb = D_fb[:3, :3], D_fb[:3, 3]
    K = skew(-(R_fc.T @ t_fb + r_bc))
    coupling = m * R_fc @ K @ R_fc.T
    angular = R_fc @ (I_c - m * K @ K) @ R_fc.T
    return np.block([[m * np.eye(3), coupling], [-coupling, angular]])


def m_ff_by_steps(terms: Floats, D_fb: Floats) -> Floats:
    """By steps: I_f less the product [t]x [r]x by the identity 14 (eqs. 10-17)."""
    m, I_c, r_bc = read(terms)
    R_fb, r_fb = D_fb[:3, :3], D_fb[:3, 3]
    I_f = R_fb @ I_c @ R_fb.T  # (10)
    r_fc = r_fb + R_fb @ r_bc  # (11)
    t = m * r_fc  # (12)
    result = compact.product_of_skews(t, r_fc)  # (14), (15)
    return np.block([[m * np.eye(3), -skew(t)], [skew(t), I_f - result]])  # (13), (17)


def read(terms: Floats) -> tuple[float, Floats, Floats]:
    """The mass, the inertia about the centre of mass, and r, of ten terms."""
    m, hx, hy, hz, xx, yy, zz, xy, yz, zx = terms
    return m, np.array([[xx, xy, zx], [xy, yy, yz], [zx, yz, zz]]), np.array([hx, hy, hz]) / m
