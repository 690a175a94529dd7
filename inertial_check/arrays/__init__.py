"""Array helpers that every numerical package shares.

The modules: types (the types of annotations), namespace (the library of given arrays), broadcasting
(reading arguments, shapes, indices in errors), arguments (errors that name the wrong
one), random (numbers of any library's generator), so3 (matrices of rows, cross products, the even
functions behind rotations).
"""
