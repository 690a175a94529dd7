"""Every cause that is planted, in the order of the tables."""

from __future__ import annotations

from planting import contradictions, further, suspicions, whole_models
from planting.defects import CAUSES, FURTHER

__all__ = ["CAUSES", "FURTHER", "contradictions", "further", "suspicions", "whole_models"]
