"""The language server: findings, hover texts and quick fixes for editors."""
