"""Assessment of an identification: base parameters with deviations, residuals, repeatability."""
