"""Writes the files beside it: python3 write.py (numpy 2.4.6, scipy 1.17.1, safetensors 0.8.0)."""
import json
import struct

import numpy as np
import scipy.sparse
from safetensors.numpy import save_file

# The matrix, whose values every type has: X[i, j] = (3 i + 5 j) mod 7 - 2, or 0 where that is 3.
i, j = np.meshgrid(np.arange(4), np.arange(3), indexing="ij")
X = (3 * i + 5 * j) % 7 - 2
X[X == 3] = 0
y = np.array([7, -1, 7, 10])
names = np.array(["a/b", "é", "a/b", ""])

for code in ["f2", "f4", "f8", "i1", "i2", "i4", "i8"]:
    np.save(f"{code}.npy", X.astype("<" + code))
    np.save(f"{code}-big-fortran.npy", np.asfortranarray(X.astype(">" + code)))
for code in ["u1", "u2", "u4", "u8"]:
    np.save(f"{code}.npy", (X + 2).astype("<" + code))
np.save("bool.npy", X > 0)
for version in [(2, 0), (3, 0)]:
    with open(f"version{version[0]}.npy", "wb") as f:
        np.lib.format.write_array(f, X.astype("f4"), version=version)
np.savez("dense.npz", X=X.astype("f4"), y=y)
np.savez_compressed("packed.npz", features=X.astype("f8"), names=names, y=y.astype("S3"))
np.savez("unclear.npz", a=X, b=X)
np.savez("unnamed.npz", X)
scipy.sparse.save_npz("csr.npz", scipy.sparse.csr_matrix(X.astype("f8")))
scipy.sparse.save_npz("csr-stored.npz", scipy.sparse.csr_array(X.astype("f4")), compressed=False)
scipy.sparse.save_npz("csc.npz", scipy.sparse.csc_matrix(X.astype("f8")))
twice = scipy.sparse.csr_matrix((np.array([4.0, 1, 2, -1, 5]), np.array([2, 0, 2, 1, 1]), np.array([0, 3, 5])), shape=(2, 3))
scipy.sparse.save_npz("twice.npz", twice)
np.save("y.npy", y)
np.save("names.npy", names)
np.save("objects.npy", np.array([[1, "a"]], dtype=object), allow_pickle=True)
np.save("complex.npy", X.astype("c16"))
np.save("flat.npy", X.ravel())
np.save("records.npy", np.array([(1, 2.0)], dtype=[("a", "i4"), ("b", "f8")]))
np.save("dates.npy", np.array([["2024-01-01"]], dtype="M8[D]"))
np.save("empty.npy", np.zeros((0, 3)))
np.save("nan.npy", np.array([[1, np.nan], [np.inf, 1e39]]))
np.save("rounded.npy", np.array([[20240101, 1e9 + 1, 0.1, 5, 0.1], [20240102, 1e9 + 2, 0.2, 5, 0.1], [20240103, 1e9 + 3, 0.3, 5, 0.1]]))
scipy.sparse.save_npz("rounded.npz", scipy.sparse.csr_matrix(np.array([[0, 16777217.0, 16777217], [1, 16777216, 0]])))
save_file({"X": X.astype("f2"), "y": y}, "half.safetensors")
save_file({"embeddings": X.astype("f8"), "other": y.astype("i2"), "flag": np.array([True])}, "double.safetensors")

# bfloat16, which numpy has not: the upper half of a float32.
bits = (X.astype("<f4").view("<u4") >> 16).astype("<u2").tobytes()
header = json.dumps({"X": {"dtype": "BF16", "shape": list(X.shape), "data_offsets": [0, len(bits)]}}).encode()
with open("brain.safetensors", "wb") as f:
    f.write(struct.pack("<Q", len(header)) + header + bits)
