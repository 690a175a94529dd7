"""The page that shows a model in three dimensions, as one file or live."""
