"""Files for tests, written by hand: what the Go library writes is tested by go test ./hierml/pipeline."""

import json

import numpy as np

_NAMES = {"uint8": "U8", "uint16": "U16", "int32": "I32", "int64": "I64", "float16": "F16", "float32": "F32", "float64": "F64"}


def safetensors(metadata, arrays):
    """Returns the bytes of a file without a check sum."""
    header, content = {"__metadata__": metadata}, b""
    for name, array in arrays.items():
        data = array.tobytes()
        header[name] = {"dtype": _NAMES[array.dtype.name], "shape": list(array.shape), "data_offsets": [len(content), len(content) + len(data)]}
        content += data
    text = json.dumps(header).encode()
    return len(text).to_bytes(8, "little") + text + content


def texts(name, values):
    """Returns strings as the two arrays that a file has of them."""
    data = [value.encode() for value in values]
    offsets = np.cumsum([0] + [len(value) for value in data])
    return {name: np.frombuffer(b"".join(data), np.uint8), name + ".offsets": offsets.astype(np.int64)}


def vectorizer(**settings):
    """Returns a vectorizer of the words cat, dog and oak, each in one of four documents."""
    return {
        "format": "hierml.vectorizer", "version": 1, "text": settings, "documents": 4, "terms per document": 3.0,
        "vocabulary": ["cat", "dog", "oak"], "document frequencies": [1, 1, 1],
    }


def model(pipeline=None, metadata=None, arrays=None):
    """Returns the bytes of a file: animal above cat and dog, and oak; each leaf has the weight 1 of its own word."""
    attached = {"format": "hierml.pipeline", "version": 1, "vectorizer": vectorizer()}
    attached.update(pipeline or {})
    about = {"format": "hierml.model", "version": "1", "rule": "highest", "name": "flat SVM", "precision": "float32"}
    about.update(metadata or {})
    content = {
        **texts("taxonomy.names", ["animal", "cat", "dog", "oak"]),
        "taxonomy.edges": np.array([[0, 1], [0, 2]], np.int32),
        "attributes.candidates": np.array([1, 2, 3], np.int32),
        "attributes.begin": np.array([0, 1, 2, 3], np.int64),
        "attributes.nodes": np.array([1, 2, 3], np.int32),
        "attributes.values": np.ones(3),
        "weights.columns": np.array([1, 2, 3], np.int32),
        "weights": np.eye(3, dtype=np.float32),
        "attached.pipeline": np.frombuffer(json.dumps(attached).encode(), np.uint8),
    }
    content.update(arrays or {})
    return safetensors(about, {name: array for name, array in content.items() if array is not None})
