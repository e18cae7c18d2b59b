#!/usr/bin/env python3
"""Writes the tables of TestTypes with two other programs: pip install pyarrow duckdb; python3 types.py

Each column is of one type, named as the test names it, and has two rows; the second is null or another value."""
import datetime as d
import decimal
import os
import uuid

import duckdb
import numpy
import pyarrow as pa
import pyarrow.parquet as pq

here = os.path.dirname(os.path.abspath(__file__)) + "/"
D, moment = decimal.Decimal, d.datetime(2020, 1, 2, 12, 30, 0, 500000)
utc = moment.replace(tzinfo=d.timezone.utc)
seven, thirty = [D("4.00"), D("-0.05")], [D("4.00"), D("-12345678901234567890123456.05")]
before = d.datetime(1969, 12, 31, 23, 59, 59, 999000)

columns = {
    "bool": pa.array([True, None]),
    "int8": pa.array([-4, None], pa.int8()), "int64": pa.array([-4000000000, 4], pa.int64()),
    "uint8": pa.array([200, 4], pa.uint8()), "uint16": pa.array([60000, 4], pa.uint16()),
    "uint32": pa.array([4000000000, 4], pa.uint32()), "uint64": pa.array([18000000000000000000, 4], pa.uint64()),
    "half": pa.array([numpy.float16(0.1), numpy.float16(-65504)], pa.float16()),
    "float": pa.array([0.1, 4], pa.float32()), "double": pa.array([1.5, float("nan")], pa.float64()),
    "decimal": pa.array(seven, pa.decimal128(7, 2)), "decimal38": pa.array(thirty, pa.decimal128(38, 2)),
    "decimal76": pa.array(thirty, pa.decimal256(76, 2)), "whole": pa.array([D("4"), D("-5")], pa.decimal128(9, 0)),
    "date": pa.array([d.date(2020, 1, 2), d.date(1903, 12, 17)]),
    "time32": pa.array([d.time(12, 30), None], pa.time32("ms")),
    "time64": pa.array([d.time(12, 30, 0, 5), None], pa.time64("us")),
    "time64ns": pa.array([d.time(0, 0, 1), None], pa.time64("ns")),
    "stamp_ms": pa.array([moment, before], pa.timestamp("ms")), "stamp_us": pa.array([moment, None], pa.timestamp("us")),
    "stamp_ns": pa.array([moment, None], pa.timestamp("ns")), "stamp_utc": pa.array([utc, None], pa.timestamp("us", "UTC")),
    "text": pa.array(["é", None]), "large": pa.array(["x", "y"], pa.large_string()),
    "bytes": pa.array([b"x", b"\xff"], pa.binary()), "fixed": pa.array([b"ab", b"\xff\xfe"], pa.binary(2)),
    "null": pa.array([None, None], pa.null()), "enum": pa.array(["x", "y"]).dictionary_encode(),
    "uuid": pa.array([uuid.UUID(int=1).bytes, None], pa.uuid()),
    "json": pa.array(['{"a": [1, "x"]}', "4"], pa.json_(pa.string())),
    "list": pa.array([["a", None, "b"], None], pa.list_(pa.string())),
    "decimals": pa.array([[D("4.00")], []], pa.list_(pa.decimal128(7, 2))),
    "lists": pa.array([[["a"]], []], pa.list_(pa.list_(pa.string()))),
    "struct": pa.array([{"when": d.date(2020, 1, 2)}, None], pa.struct([("when", pa.date32())])),
    "structs": pa.array([[{"text": "a", "label": None}, {"text": "b", "label": 1}], []],
                        pa.list_(pa.struct([("text", pa.string()), ("label", pa.uint32())]))),
    "map": pa.array([[("k", "v")], None], pa.map_(pa.string(), pa.string())),
    "item": pa.array(["named as a level of lists", None]),
}
pq.write_table(pa.table(columns), here + "pyarrow.parquet")
some = {n: columns[n] for n in ("decimal", "decimal38", "date", "stamp_ms", "uint32", "text", "list")}
pq.write_table(pa.table(some), here + "pyarrow-integers.parquet", store_decimal_as_integer=True, version="1.0",
               data_page_version="2.0", compression="zstd")
pq.write_table(pa.table({"stamp": columns["stamp_ns"]}), here + "pyarrow-int96.parquet", use_deprecated_int96_timestamps=True)

duckdb.sql(f"""COPY (SELECT * FROM (VALUES (1), (2)) t(n),
  LATERAL (SELECT 4.00::DECIMAL(4, 2) "dec4", (-0.05)::DECIMAL(9, 2) "dec9", 4.00::DECIMAL(18, 2) "dec18",
    (-12345678901234567890123456.05)::DECIMAL(38, 2) "dec38", 200::UTINYINT "utinyint", 60000::USMALLINT "usmallint",
    4000000000::UINTEGER "uinteger", 18000000000000000000::UBIGINT "ubigint", DATE '2020-01-02' "date",
    TIME '12:30:00.5' "time", TIMESTAMP '2020-01-02 12:30:00' "timestamp", TIMESTAMP_MS '2020-01-02 12:30:00' "ms",
    TIMESTAMP_NS '2020-01-02 12:30:00.000000001' "ns", TIMESTAMPTZ '2020-01-02 12:30:00+00' "utc",
    INTERVAL '1 month 2 days' "interval", '00000000-0000-0000-0000-000000000001'::UUID "uuid",
    'x'::ENUM ('x', 'y') "enum", '["a", "b"]'::JSON "json", 'x'::BLOB "blob", 'nan'::DOUBLE "nan",
    'infinity'::FLOAT "infinity", ['a', 'b'] "list", [4.00::DECIMAL(4, 2)] "decimals", {{'a': 4::UTINYINT}} "struct",
    true "bool", 'text' "text")) TO '{here}duckdb.parquet' (FORMAT parquet)""")
