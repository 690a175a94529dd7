"""Every cause that is planted, in the order of the tables."""

from __future__ import annotations

from planting import contradictions, suspicions, whole_models
from planting.defects import CAUSES

__all__ = ["CAUSES", "contradictions", "suspicions", "whole_models"]
