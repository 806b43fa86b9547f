"""Train on a mixed table with scikit-learn's ColumnTransformer, and print how good and how fast it is.

    python columns.py TABLE.csv PARTS

PARTS has a line for each row: train or test. One JSON object is printed.
"""

import json
import sys
import time

import numpy as np
import pandas as pd
from sklearn.compose import ColumnTransformer
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.impute import SimpleImputer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, OneHotEncoder, StandardScaler
from sklearn.svm import LinearSVC

begun = time.process_time()
table = pd.read_csv(sys.argv[1])
part = pd.read_csv(sys.argv[2], header=None)[0]
train, test = table[part == "train"], table[part == "test"]
read = time.process_time() - begun
model = make_pipeline(
    ColumnTransformer([
        ("text", TfidfVectorizer(min_df=2, sublinear_tf=True), "text"),
        ("size", make_pipeline(FunctionTransformer(np.log1p), SimpleImputer(add_indicator=True), StandardScaler()), ["installed_size", "size", "n_depends"]),
        ("words", make_pipeline(SimpleImputer(strategy="constant", fill_value="missing"), OneHotEncoder(min_frequency=2, handle_unknown="infrequent_if_exist")), ["homepage", "arch"]),
    ]),
    LinearSVC(C=1),
)
begun = time.process_time()
model.fit(train, train["label"])
fit = time.process_time() - begun
begun = time.process_time()
accuracy = float((model.predict(test) == test["label"]).mean())
print(json.dumps({"accuracy": accuracy, "read": read, "fit": fit, "predict": time.process_time() - begun}))
