"""Requests the same reports as JSON, CSV and Arrow, and compares what pyarrow, pandas, polars and DuckDB read with the JSON. Prints the number of values compared."""

import io
import json
import pathlib
import sys
import tempfile

import duckdb
import pandas as pd
import polars as pl
import pyarrow as pa
import requests

BASE_URL, REPORTS = sys.argv[1], json.loads(sys.argv[2])
KEY = {"Ocp-Apim-Subscription-Key": "ecap_demo_agency"}
ARROW = "application/vnd.apache.arrow.stream"
PANDAS = {"text": "str", "integer": "Int64", "decimal": "float64", "date": "str"}
POLARS = {"text": pl.String, "integer": pl.Int64, "decimal": pl.Float64, "date": pl.Date}
DUCKDB = {"text": "VARCHAR", "integer": "BIGINT", "decimal": "DOUBLE", "date": "DATE"}
path = pathlib.Path(tempfile.mkdtemp()) / "report.csv"
compared = 0


def submit(experience, body, accept):
    response = requests.post(f"{BASE_URL}/report/{experience}", headers={**KEY, "Accept": accept}, json=body)
    assert response.status_code == 200, response.text
    return response


def check(reader, columns, rows, expected):
    """Compares values, and whether they are texts. Dates are compared as texts, and a CSV has no empty texts."""
    global compared
    actual = [dict(zip(columns, (None if value is pd.NA or value != value else value for value in row))) for row in rows]
    for row in actual:
        for name, value in row.items():
            if hasattr(value, "isoformat"):
                row[name] = value.isoformat()[:10]
    assert len(actual) == len(expected), f"{reader}: {len(actual)} rows instead of {len(expected)}"
    for number, (row, want) in enumerate(zip(actual, expected)):
        assert list(row) == list(want), f"{reader}: {list(row)} instead of {list(want)}"
        for name, value in row.items():
            same = value == want[name] and isinstance(value, str) == isinstance(want[name], str)
            assert same, f"{reader}: row {number}, {name}: {value!r} instead of {want[name]!r}"
            compared += 1


def check_header(response, report):
    headers = response.headers
    page = report["meta"]["page"]
    assert int(headers["X-Total-Count"]) == report["totalCount"]
    assert headers.get("Endcap-Next-Offset") == (str(page["offset"] + page["size"]) if page["hasMore"] else None)
    assert json.loads(headers["Endcap-Totals"]) == report["totals"]
    assert json.loads(headers["Endcap-Attribution"]) == report["meta"]["attribution"]
    # members that do not fit into a header are left out of all warnings
    warnings = json.loads(headers["Endcap-Warnings"])
    assert len(warnings) == len(report["meta"]["warnings"])
    for short, whole in zip(warnings, report["meta"]["warnings"]):
        assert {"code", "fields"} <= set(short)
        assert short == {name: whole[name] for name in short}
    assert headers.get("Endcap-Data-Complete-Through") == report["meta"]["dataCompleteThrough"]
    assert headers["Endcap-Data-Version"] == report["meta"]["dataVersion"]
    assert (headers["Endcap-Time-Zone"], headers["Endcap-Currency"]) == (
        report["meta"]["timezone"],
        report["meta"]["currency"],
    )


for experience, body in REPORTS:
    report = submit(experience, body, "application/json").json()
    types = {header["name"]: header["type"] for header in report["headers"]}

    arrow = submit(experience, body, ARROW)
    check_header(arrow, report)
    arrow_table = pa.ipc.open_stream(arrow.content).read_all()
    check("pyarrow", arrow_table.column_names, zip(*(column.to_pylist() for column in arrow_table.columns)), report["data"])
    frame = arrow_table.to_pandas(types_mapper=pd.ArrowDtype)
    check("pandas, Arrow", list(frame), frame.itertuples(index=False, name=None), report["data"])
    frame = pl.read_ipc_stream(arrow.content)
    assert [pl.String if dtype == pl.Categorical else dtype for dtype in frame.dtypes] == [POLARS[t] for t in types.values()]
    check("polars, Arrow", frame.columns, frame.rows(), report["data"])
    found = duckdb.sql("SELECT * FROM arrow_table")
    check("DuckDB, Arrow", found.columns, found.fetchall(), report["data"])
    fields = {field.name: {key.decode(): value.decode() for key, value in field.metadata.items()} for field in arrow_table.schema}
    for header in report["headers"]:
        texts = {key: value if isinstance(value, str) else json.dumps(value) for key, value in header.items() if value is not None}
        assert fields[header["name"]] == texts, fields[header["name"]]
    assert json.loads(arrow_table.schema.metadata[b"totals"]) == report["totals"]

    csv = submit(experience, body, "text/csv;header=bom")
    check_header(csv, report)
    dtypes = {name: PANDAS[kind] for name, kind in types.items()}
    frame = pd.read_csv(io.BytesIO(csv.content), dtype=dtypes, keep_default_na=False, na_values=[""])
    check("pandas, CSV", list(frame), frame.astype(object).itertuples(index=False, name=None), report["data"])
    digits = {name: pl.String for name in types if name == "entity_id"}  # UPCs, which polars takes for numbers
    guessed = pl.read_csv(csv.content, try_parse_dates=True, schema_overrides=digits)
    for name, dtype in zip(guessed.columns, guessed.dtypes):
        if guessed[name].null_count() < len(guessed):
            assert dtype == POLARS[types[name]], f"polars takes {name} for {dtype}"
    # in a file with a single column, null is "", which polars takes for an empty text
    rows = guessed.rows() if len(types) > 1 else [(value or None,) for (value,) in guessed.rows()]
    check("polars, CSV", guessed.columns, rows, report["data"])
    path.write_bytes(csv.content)
    found = duckdb.read_csv(str(path), dtype={name: DUCKDB[kind] for name, kind in types.items()})
    check("DuckDB, CSV", found.columns, found.fetchall(), report["data"])

print(compared)
