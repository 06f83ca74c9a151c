"""Prints all rows of each table of a DuckDB file, which is the argument, as JSON."""

import json
import sys

import duckdb

with duckdb.connect(sys.argv[1], read_only=True) as db:
    tables = db.execute("SELECT table_name, schema_name FROM duckdb_tables() WHERE schema_name NOT LIKE '%_staging'").fetchall()
    rows = {name: db.execute(f"SELECT to_json(t) FROM {schema}.{name} t").fetchall() for name, schema in tables}
print(json.dumps({name: [json.loads(row) for (row,) in of] for name, of in rows.items()}))
