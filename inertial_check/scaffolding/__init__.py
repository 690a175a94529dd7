"""The first files of a repository that is checked: configuration, CI workflow, and baseline."""
