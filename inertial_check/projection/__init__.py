"""The nearest parameters that some body has: arrays in, arrays and a certificate out.

`project` chooses the rows that have to move and the way; closed_form and conic move them; result
says what came out and proves it; metrics says what "near" means.
"""
