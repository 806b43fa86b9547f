"""Writes the files of this folder, and the values that pandas or pyarrow reads from each.

    pip install pandas==3.1.1 pyarrow==26.0.1 polars
    python write.py

A value is null where missing; numbers are those of float64; dates and times are as pandas prints
them, with the fraction of a second only where there is one.
"""

import datetime
import decimal
import json
import os
import uuid

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.feather as feather
import pyarrow.parquet as pq

os.chdir(os.path.dirname(os.path.abspath(__file__)))
expected = {}


def text(v):
    """Returns a value as text."""
    if v is None or v is pd.NaT:
        return None
    if isinstance(v, bool):
        return str(v).lower()
    if isinstance(v, (pd.Timestamp, datetime.datetime)):
        v = pd.Timestamp(v)
        if v.tzinfo is not None:
            v = v.tz_convert("UTC")
        s = str(v)
        if "." in s:  # no zeros at the end
            head, tail = s.split(".", 1)
            zone = tail[tail.index("+"):] if "+" in tail else ""
            s = head + "." + tail.split("+")[0].rstrip("0") + zone
        return s
    if isinstance(v, datetime.time):
        return str(v).rstrip("0") if "." in str(v) else str(v)
    return str(v)


def plain(v):
    """Returns a value as JSON has it."""
    if v is None or v is pd.NaT or v is pd.NA:
        return None
    if isinstance(v, (list, np.ndarray)):
        return [text(e) for e in v if e is not None]
    if isinstance(v, (bool, np.bool_)):
        return bool(v)
    if isinstance(v, (int, np.integer, decimal.Decimal)):
        return float(v)
    if isinstance(v, (float, np.floating)):
        v = float(v)
        return None if v != v else ("inf" if v > 1e308 else "-inf" if v < -1e308 else v)
    if isinstance(v, pd.Timedelta):
        return float(v.value)
    return text(v)


def values(table):
    columns = {}
    for name in table.column_names:
        kind = table.schema.field(name).type
        if pa.types.is_duration(kind):
            columns[name] = [plain(v) for v in table[name].cast(pa.int64()).to_pylist()]
        elif pa.types.is_nested(kind) and not (pa.types.is_list(kind) or pa.types.is_large_list(kind)
                                               or pa.types.is_fixed_size_list(kind)) \
                or pa.types.is_fixed_size_binary(kind) and not pa.types.is_decimal(kind):
            columns[name] = "refused"
        elif (pa.types.is_list(kind) or pa.types.is_large_list(kind)) and \
                (pa.types.is_nested(kind.value_type) or pa.types.is_floating(kind.value_type)):
            columns[name] = "refused"
        elif pa.types.is_dictionary(kind):
            columns[name] = [text(v) for v in table[name].to_pylist()]
        else:
            columns[name] = [plain(v) for v in table[name].to_pylist()]
    return columns


def keep(name, table=None):
    """Keeps the values of a file, as pyarrow reads them."""
    expected[name] = values(table)


n = 40
at = lambda k, v: None if k % 7 == 3 else v
every = pa.table({
    "text": pa.array([at(k, "wörd %d" % (k % 5)) for k in range(n)]),
    "long": pa.array([at(k, "a text of more than twelve bytes, number %d" % k) for k in range(n)], pa.large_string()),
    "empty": pa.array([at(k, "") for k in range(n)]),
    "float64": pa.array([float("nan") if k == 5 else at(k, k / 3) for k in range(n)]),
    "float32": pa.array([at(k, k / 3) for k in range(n)], pa.float32()),
    "float16": pa.array([at(k, np.float16(k / 3)) for k in range(n)], pa.float16()),
    "infinite": pa.array([float("inf"), -float("inf")] + [1.0] * (n - 2)),
    "int8": pa.array([at(k, k - 20) for k in range(n)], pa.int8()),
    "uint8": pa.array([at(k, k * 6) for k in range(n)], pa.uint8()),
    "int16": pa.array([at(k, 1000 * k - 20000) for k in range(n)], pa.int16()),
    "uint16": pa.array([at(k, 1600 * k) for k in range(n)], pa.uint16()),
    "int32": pa.array([at(k, -k**5) for k in range(n)], pa.int32()),
    "uint32": pa.array([at(k, 4294967295 - k) for k in range(n)], pa.uint32()),
    "int64": pa.array([at(k, 2**53 - 2 + k) for k in range(n)], pa.int64()),
    "uint64": pa.array([at(k, 2**64 - 1 - k) for k in range(n)], pa.uint64()),
    "full": pa.array(range(n), pa.int64()),
    "bool": pa.array([at(k, k % 3 == 0) for k in range(n)]),
    "decimal": pa.array([at(k, decimal.Decimal(k - 20) / 100) for k in range(n)], pa.decimal128(7, 2)),
    "decimal38": pa.array([at(k, decimal.Decimal("12345678901234567890.25") * (k - 9)) for k in range(n)], pa.decimal128(38, 2)),
    "date": pa.array([at(k, datetime.date(1960 + k, 1 + k % 12, 1 + k % 28)) for k in range(n)]),
    "time": pa.array([at(k, datetime.time(k % 24, k, k, k * 1000)) for k in range(n)]),
    "stamp": pa.array([at(k, datetime.datetime(1969, 12, 31, 23, 59, 30, 500000) + datetime.timedelta(seconds=k)) for k in range(n)], pa.timestamp("us")),
    "stampms": pa.array([at(k, datetime.datetime(2024, 2, 28) + datetime.timedelta(hours=k)) for k in range(n)], pa.timestamp("ms")),
    "zone": pa.array([at(k, datetime.datetime(2024, 3, 30, 12) + datetime.timedelta(hours=k)) for k in range(n)], pa.timestamp("ns", "Europe/Berlin")),
    "duration": pa.array([at(k, k * 1000) for k in range(n)], pa.duration("ms")),
    "none": pa.nulls(n),
    "category": pa.array([at(k, "red green blue".split()[k % 3]) for k in range(n)]).dictionary_encode(),
    "numbered": pa.array([at(k, 10 * (k % 3)) for k in range(n)]).dictionary_encode(),
    "words": pa.array([None if k % 7 == 3 else ["w%d" % i for i in range(k % 4)] + [None] * (k % 2) for k in range(n)]),
    "bigwords": pa.array([["a, b", "c"][: k % 3] for k in range(n)], pa.large_list(pa.string())),
    "ids": pa.array([[k, k * k] for k in range(n)], pa.list_(pa.int32())),
    "pair": pa.array([["x", "y%d" % k] for k in range(n)], pa.list_(pa.string(), 2)),
    "categories": pa.ListArray.from_arrays(list(range(0, 2 * n + 1, 2)), pa.array(["u", "v", None, "u"] * (n // 2)).dictionary_encode()),
    "vector": pa.array([[k / 2, 1.0] for k in range(n)]),
    "struct": pa.array([{"a": k, "b": "x"} for k in range(n)]),
    "one": pa.array([{"a": k} for k in range(n)]),
    "map": pa.array([[("k", k)] for k in range(n)], pa.map_(pa.string(), pa.int64())),
    "nested": pa.array([[["x"], []] for k in range(n)]),
    "structs": pa.array([[{"a": 1, "b": 2}] for k in range(n)]),
    "blocks": pa.array([b"abc"] * n, pa.binary(3)),
    "last": pa.array(["end %d" % k for k in range(n)]),
})

# Parquet: versions of pages, compressions, encodings, sizes of pages and row groups.
arrow_only = ["float16"]
for name, settings in {
    "snappy": {},
    "plain": dict(compression="none", use_dictionary=False, data_page_size=64, write_batch_size=4),
    "second-zstd": dict(compression="zstd", data_page_version="2.0", row_group_size=15),
    "gzip-groups": dict(compression="gzip", row_group_size=7, use_dictionary=["text", "words"]),
    "lz4": dict(compression="lz4", use_dictionary=False, write_page_checksum=True),
    "second-plain": dict(compression="none", data_page_version="2.0", data_page_size=100, write_batch_size=5, use_dictionary=False),
    "int96": dict(use_deprecated_int96_timestamps=True, version="1.0"),
    "delta": dict(use_dictionary=False, compression="snappy", data_page_version="2.0", column_encoding={
        "text": "DELTA_BYTE_ARRAY", "long": "DELTA_LENGTH_BYTE_ARRAY", "empty": "DELTA_BYTE_ARRAY", "int32": "DELTA_BINARY_PACKED",
        "int64": "DELTA_BINARY_PACKED", "full": "DELTA_BINARY_PACKED", "float64": "BYTE_STREAM_SPLIT", "float32": "BYTE_STREAM_SPLIT",
        "bool": "RLE", "date": "DELTA_BINARY_PACKED", "blocks": "PLAIN", "decimal38": "BYTE_STREAM_SPLIT"}),
}.items():
    file = name + ".parquet"
    pq.write_table(every, file, **settings)
    keep(file, pq.read_table(file))

# More rows than a chunk has, in runs and in bits.
many = pa.table({
    "run": pa.array(["a"] * 8000 + [None] * 8000 + ["b"] * 1000),
    "bits": pa.array([k % 3 == 0 for k in range(17000)]),
    "steps": pa.array([k * k % 1000 if k % 11 else None for k in range(17000)]),
    "lists": pa.array([["p", "q"][: k % 3] for k in range(17000)]),
})
for name, settings in {"many": dict(compression="zstd"), "many-delta": dict(compression="zstd", use_dictionary=False, column_encoding={"steps": "DELTA_BINARY_PACKED", "run": "DELTA_LENGTH_BYTE_ARRAY"}, data_page_version="2.0")}.items():
    pq.write_table(many, name + ".parquet", **settings)
keep("many.parquet", many)
keep("many-delta.parquet", many)

# Arrow: files and streams, compressions, batches.
for name, compression, rows in [("lz4", "lz4", None), ("zstd", "zstd", 11), ("plain", "uncompressed", 9)]:
    file = name + ".feather"
    feather.write_feather(every, file, compression=compression, chunksize=rows)
    keep(file, feather.read_table(file))
feather.write_feather(many, "many.feather", compression="zstd", chunksize=17000)
keep("many.feather", many)
views = pa.table({
    "view": every["long"].cast(pa.string_view()), "short": every["text"].cast(pa.string_view()),
    "words": pa.array(every["words"].to_pylist(), pa.list_view(pa.string())),
    "runs": pa.array(["r"] * n), "last": every["last"],
})
with pa.ipc.new_stream("views.arrows", views.schema) as w:
    w.write_table(views, max_chunksize=17)
expected["views.arrows"] = {**values(views), "words": values(every)["words"]}
# A dictionary that grows from batch to batch.
growing = pa.schema([("c", pa.dictionary(pa.int8(), pa.string()))])
with pa.ipc.new_stream("growing.arrows", growing, options=pa.ipc.IpcWriteOptions(emit_dictionary_deltas=True)) as w:
    for words in [["a", "b"], ["a", "b", "c"]]:
        w.write_batch(pa.record_batch([pa.DictionaryArray.from_arrays(pa.array([k % len(words) for k in range(4)], pa.int8()), words)], schema=growing))
with pa.ipc.open_stream("growing.arrows") as r:
    keep("growing.arrows", r.read_all())

# pandas, with its own index; and polars, which writes views of text.
frame = pd.DataFrame({"label": ["a/x", "b", None], "size": [1.5, np.nan, 3], "n": pd.array([1, None, 3], "Int64"),
                      "when": pd.to_datetime(["2024-01-05 00:00:00", None, "2024-01-06 07:08:09"]), "kind": pd.Categorical(["u", None, "u"])}, index=["i", "j", "k"])
frame.to_parquet("pandas.parquet")
keep("pandas.parquet", pa.Table.from_pandas(frame))
frame.reset_index(drop=True).to_feather("pandas.feather")
keep("pandas.feather", pa.Table.from_pandas(frame.reset_index(drop=True)))
other = pl.DataFrame({"s": ["a", None, "a longer text than twelve"], "f": [1.0, None, 2.5], "l": [["x"], [], None], "b": [True, None, False],
                      "d": [datetime.date(2024, 1, 5), None, datetime.date(1900, 1, 1)], "c": pl.Series(["p", "q", "p"], dtype=pl.Categorical)})
other.write_parquet("polars.parquet")
other.write_ipc("polars.feather", compression="zstd")
same = other.with_columns(pl.col("c").cast(pl.String)).to_arrow()
keep("polars.parquet", same)
keep("polars.feather", same)

for columns in expected.values():  # the many rows are checked by their count, and by some of them
    for name, v in columns.items():
        if len(v) > 1000:
            columns[name] = {"rows": len(v), "some": {str(k): v[k] for k in range(0, len(v), 487)}}
with open("expected.json", "w") as f:
    json.dump(expected, f, ensure_ascii=False, separators=(",", ":"), sort_keys=True)
    f.write("\n")
