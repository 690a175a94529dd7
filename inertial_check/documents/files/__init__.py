"""The one way to open files of a checkout, to walk its folders and to write a file."""
