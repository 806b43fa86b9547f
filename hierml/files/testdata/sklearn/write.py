"""Writes the files beside it: python3 write.py (scikit-learn 1.9.1)."""
import numpy as np
from sklearn.datasets import dump_svmlight_file

X = np.array([[0, 0.1, -2, 0, 1e-3], [3, 0, 0, 0, 0], [0, 0, 0, 0, 0], [0, 1 / 3, 0, 4, 0]])
y = np.array([2, -1, 2, 7])
sets = np.array([[1, 0, 1], [0, 0, 0], [0, 1, 0], [1, 0, 0]])
dump_svmlight_file(X, y, "plain.svm")
dump_svmlight_file(X, y, "one.svm", zero_based=False)
dump_svmlight_file(X, y, "zero-comment.svm", comment="from 0")
dump_svmlight_file(X, y, "one-comment.svm", zero_based=False, comment="from 1")
dump_svmlight_file(X, sets, "several.svm", multilabel=True, comment="sets")
dump_svmlight_file(X, y, "queries.svm", query_id=[1, 1, 2, 2], zero_based=False)
