"""Results of large checks as tables: rows of bodies, parts in Parquet or JSON lines, and counts."""
