"""Run by the Python that has programs of others: release tables, and print each as CSV, in one line of JSON.

The request is a JSON object on standard input: `program`, `tables` (a list of columns by name), `quasi`, `sensitive`,
and what the program takes. A level of a hierarchy is a list of labels, or the width of intervals that anjana makes.
"""

import contextlib
import io
import json
import sys


def anjana(table, request):
    import numpy as np
    from anjana.anonymity import k_anonymity, l_diversity
    from anjana.anonymity.utils import generate_intervals

    hierarchies = {name: {0: table[name].to_numpy()} for name in request["hierarchies"]}
    for name, levels in request["hierarchies"].items():
        for level, labels in enumerate(levels, 1):
            made = generate_intervals(table[name].to_numpy(), 0, 100, labels) if isinstance(labels, int) else labels
            hierarchies[name][level] = np.array(made)
    identifiers, k, suppressed = request.get("identifiers", []), request["k"], request.get("suppressed", 0)
    if "l" not in request:
        return k_anonymity(table, identifiers, request["quasi"], k, suppressed, hierarchies)
    return l_diversity(
        table, identifiers, request["quasi"], request["sensitive"], k, request["l"], suppressed, hierarchies
    )


def anonypy(table, request):
    import pandas as pd
    from anonypy import Preserver

    for name in request["quasi"]:
        if table[name].dtype == object:
            table[name] = table[name].astype("category")
    preserver = Preserver(table, request["quasi"], request["sensitive"])
    if "l" not in request:
        return pd.DataFrame(preserver.anonymize_k_anonymity(k=request["k"]))
    return pd.DataFrame(preserver.anonymize_l_diversity(k=request["k"], l=request["l"]))


def main():
    import pandas as pd

    request = json.load(sys.stdin)
    program = {"anjana": anjana, "anonypy": anonypy}[request["program"]]
    with contextlib.redirect_stdout(io.StringIO()):
        releases = [program(pd.DataFrame(table), request).to_csv(index=False) for table in request["tables"]]
    sys.stdout.write(json.dumps(releases))


if __name__ == "__main__":
    main()
