"""Prints all rows of each table of a DuckDB file, which is the argument, as JSON."""

import json
import sys

import duckdb

with duckdb.connect(sys.argv[1], read_only=True) as db:
    tables = [name for (name,) in db.execute("SELECT table_name FROM duckdb_tables() ORDER BY 1").fetchall()]
    rows = {name: db.execute(f"SELECT to_json(t) FROM {name} t").fetchall() for name in tables}
print(json.dumps({name: [json.loads(row) for (row,) in of] for name, of in rows.items()}))
