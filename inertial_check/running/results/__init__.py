"""Results of a run as rows: Parquet and JSON lines, written as a stream, and counted."""
