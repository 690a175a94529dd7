"""Scans of many generated models on a local cluster, which can be interrupted and taken up."""
