"""Writes the same delivery rows as a folder in each way that pandas, polars and DuckDB have, below the folder that is given."""

import pathlib
import sys

import duckdb
import pandas as pd
import polars as pl

out = pathlib.Path(sys.argv[1])
rows = [
    {
        "daily_date": f"2026-03-0{day}",
        "hour": hour,
        "ad_group_id": 1000,
        "keyword": keyword,
        "impressions": 10 * day + hour,
        "clicks": hour,
        "cost": day + hour / 4,
    }
    for day in (1, 2)
    for hour in (8, 9)
    for keyword in ("sea salt/vinegar", "größe", None)
]


def folder(name):
    path = out / name / "facts" / "pla" / "delivery"
    path.mkdir(parents=True)
    return path


frame = pd.DataFrame(rows)
pl.DataFrame(rows).write_ndjson(out / "delivery.ndjson")

frame.to_parquet(folder("pandas-parquet"), partition_cols=["daily_date", "keyword"])
frame.set_index("hour").to_parquet(folder("pandas-index") / "part.parquet")
frame.sort_values(["keyword", "cost"]).to_parquet(folder("pandas-sorted") / "part.parquet")  # with __index_level_0__
frame.to_csv(folder("pandas-csv") / "delivery.csv")
frame.to_csv(folder("pandas-gzip") / "delivery.csv.gz", index=False)

lazy = pl.DataFrame(rows)
lazy.write_parquet(folder("polars-parquet"), partition_by=["daily_date", "hour"])
lazy.write_csv(folder("polars-csv") / "delivery.csv")

duckdb.sql("SELECT * FROM frame ORDER BY hour").create("delivery")
for name, options in {
    "duckdb-parquet": "FORMAT parquet, PARTITION_BY (daily_date, keyword)",
    "duckdb-csv": "FORMAT csv, HEADER, PARTITION_BY (keyword, daily_date), COMPRESSION gzip",
    "duckdb-json": "FORMAT json, PARTITION_BY (daily_date)",
    "duckdb-threads": "FORMAT parquet, PER_THREAD_OUTPUT",
}.items():
    duckdb.sql(f"COPY delivery TO '{folder(name)}' ({options}, OVERWRITE_OR_IGNORE)")
