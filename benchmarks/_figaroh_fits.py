"""The fits of figaroh on one problem, in its own environment.

    PYTHON benchmarks/_figaroh_fits.py PROBLEM.npz

Run by `identification.py`. PROBLEM.npz has Y (n, S, p) and tau (n, S), joint by joint, weights
(n,), prior (p,) with zeros for what is not a body, names (p,) and joints (n,) as figaroh calls
them. Prints one JSON object a method: status, seconds, theta, the least eigenvalue of each link.
All options are figaroh's defaults.
"""

import json
import sys
import warnings

import numpy as np

METHODS = ("direct_effort_fit", "per_link_projection")


def main() -> None:
    found = np.load(sys.argv[1])
    Y, tau = found["Y"], found["tau"]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # its bindings register a type twice
        from figaroh.identification import physical_fit
    problem = physical_fit.build_problem(
        Y.reshape(-1, Y.shape[2]),
        tau.ravel(),
        found["names"].tolist(),
        found["joints"].tolist(),
        prior=found["prior"],
        row_weight=np.repeat(found["weights"], tau.shape[1]),
    )
    for method in METHODS:
        record = getattr(physical_fit, f"solve_{method}")(problem)
        fit = {
            "method": method,
            "status": record.solver_status,
            "exception": record.exception,
            "seconds": record.runtime_s,
            "theta": None if record.theta is None else record.theta.tolist(),
            "accepted": record.accepted,
            "least": [link["min_eig"] for link in record.feasibility.values()],
        }
        print(json.dumps(fit), flush=True)


if __name__ == "__main__":
    main()
