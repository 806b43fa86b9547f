"""Prints the leaf scores of a model of hierml for rows of a matrix: scores.py MODEL < ROWS (both lists in JSON)."""
import json, sys
import numpy as np

def load(path):  # as safetensors.numpy.load_file, without the package
    types = {"F64": "<f8", "F32": "<f4", "F16": "<f2", "I64": "<i8", "I32": "<i4", "U32": "<u4", "U16": "<u2", "U8": "u1"}
    data = open(path, "rb").read()
    end = 8 + int.from_bytes(data[:8], "little")
    header = json.loads(data[8:end])
    metadata = header.pop("__metadata__")
    return metadata, {name: np.frombuffer(data[end + t["data_offsets"][0]:end + t["data_offsets"][1]], types[t["dtype"]]).reshape(t["shape"])
            for name, t in header.items()}

def weights(m):  # features x columns
    if "weights" in m:
        return m["weights"]
    columns = len(m["weights.columns"])
    if "weights.present" in m:
        where = np.unpackbits(m["weights.present"], axis=1, count=columns, bitorder="little").astype(bool)
    else:
        where = np.zeros((len(m["weights.begin"]) - 1, columns), bool)
        where[np.repeat(np.arange(len(where)), np.diff(m["weights.begin"])), m["weights.indices"]] = True
    w = np.zeros(where.shape)
    w[where] = m["weights.values"]
    return w

def attributes(m):  # columns x leaves
    column = {node: c for c, node in enumerate(m["weights.columns"])}
    a = np.zeros((len(column), len(m["attributes.candidates"])))
    for y, (lo, hi) in enumerate(zip(m["attributes.begin"], m["attributes.begin"][1:])):
        for node, value in zip(m["attributes.nodes"][lo:hi], m["attributes.values"][lo:hi]):
            if node in column:
                a[column[node], y] = value
    return a

def linked(m, link, scores):  # rows x columns: logarithms of the probabilities of nodes given their parents
    column = {node: c for c, node in enumerate(m["weights.columns"])}
    if link == "Softmax":
        parent = dict(m["taxonomy.edges"][:, ::-1])
        families = {}
        for node, c in column.items():
            families.setdefault(parent.get(node, -1), []).append(c)
        for family in families.values():
            top = scores[:, family].max(axis=1, keepdims=True)
            scores[:, family] -= top + np.log(np.exp(scores[:, family] - top).sum(axis=1, keepdims=True))
    elif link == "Sigmoid":
        scores = -np.logaddexp(0, -scores)
    elif link in ("CubedHinge", "SquaredHinge"):
        scores = -np.maximum(0, 1 - scores) ** (3 if link == "CubedHinge" else 2)
    scores[:, [column[n] for n in m["link.always"]]] = 0
    scores[:, [column[n] for n in m["link.never"]]] = -np.inf
    return scores

if __name__ == "__main__":
    metadata, m = load(sys.argv[1])
    offsets, names = m["taxonomy.names.offsets"], m["taxonomy.names"].tobytes()
    rows = np.array(json.load(sys.stdin))
    if "weights.features" in m:
        rows = rows[:, m["weights.features"]]
    columns = rows @ weights(m).astype(float)
    if "weights.constants" in m:
        columns = columns + m["weights.constants"]
    if "link" in metadata:
        columns = linked(m, metadata["link"], columns)
        columns = np.where(np.isneginf(columns), -1e300, columns)  # 0 * -inf is no number, and JSON has none
    scores = columns @ attributes(m)
    json.dump({"scores": scores.tolist(), "names": [names[i:j].decode() for i, j in zip(offsets, offsets[1:])]}, sys.stdout)
