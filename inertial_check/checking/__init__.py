"""From a model to findings: rules, evidence, causes, engines, shapes, settings, selection."""
