"""Measures what training in Python takes beside the training in Go itself: overhead.py [ROWS [FEATURES]].

Prints, for dense and sparse rows, the seconds of fit, those of the training as the program measures them, and
the difference, which is what reading y, writing, mapping and reading files and starting the training takes.
"""

import sys
import time
from unittest import mock

import numpy as np
import scipy.sparse

from hierml import _trainer
from hierml.sklearn import FlatSVC, HierarchicalSVC, LabelTreeClassifier

ROWS, FEATURES = (int(sys.argv[k]) if len(sys.argv) > k else usual for k, usual in ((1, 10_000), (2, 100)))
rng = np.random.default_rng(0)
of = rng.integers(0, 20, ROWS)
dense = rng.normal(size=(ROWS, FEATURES)) + 2 * np.eye(20, FEATURES)[of]
y = np.array([(f"n{k // 5}", f"m{k}") for k in range(20)])[of]
inner = []


def trained(*arguments, **settings):
    answer = train(*arguments, **settings)
    inner.append(answer.seconds)
    return answer


train = _trainer.train
begun = time.perf_counter()
FlatSVC().fit(dense[:100], y[:100])
print(f"first fit, with the start of the program: {time.perf_counter() - begun:.3f} s")
for name, X in (("dense", dense), ("sparse", scipy.sparse.csr_array(np.where(dense > 1, dense, 0)))):
    for make in (HierarchicalSVC, LabelTreeClassifier):
        for _ in range(3):
            with mock.patch.object(_trainer, "train", trained):
                begun, busy = time.perf_counter(), time.process_time()
                model = make(C=0.01).fit(X, y)
                whole, busy = time.perf_counter() - begun, time.process_time() - busy
            begun = time.perf_counter()
            model.predict(X)
            print(f"{name:6} {make.__name__:20} fit {whole:.3f} s, of which training {inner[-1]:.3f} s, else {whole - inner[-1]:.3f} s ({busy:.3f} s of CPU in Python); predict {time.perf_counter() - begun:.3f} s")
