"""Robot models in an editor: findings while typing, what mends them, and what the numbers mean."""
