"""Inertial parameters from measurements: arrays in, consistent bodies and their proof out.

`sampled` says where the samples come from, `reduction` keeps of them what least squares needs,
`problem` poses the joint problem of all bodies, `interior_point` and `conic` solve it, `identify`
is the way through, and `result` says what came out and how far the data support it.
"""
