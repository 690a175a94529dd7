"""Language server for robot models: findings while typing, quick fixes and hovers."""
