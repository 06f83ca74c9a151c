"""Copies your facts into a DuckDB file, and then what has changed: python warehouse.py FILE"""
import os, sys, duckdb, requests  # pip install requests duckdb
from datetime import date, timedelta
URL, DAY = os.environ["ENDCAP_URL"], timedelta(days=1)
FIRST, LAST = date(2020, 1, 1), date.today() + 366 * DAY  # of the first copy
KEYS = "experience_name,advertiser_id,daily_date,hour,ad_group_id"
MORE = KEYS + ",placement,division_banner,keyword,entity_id,creative_key,match_type,search_term"
TABLES = {  # dimensions and metrics; facts have only ids, because names are those of today
    "delivery": (MORE, "impressions,clicks,cost,opportunities,measurable_impressions,video_starts,"
        "viewable_impressions,video_pauses,video_first_quartile_views,video_second_quartile_views,"
        "video_third_quartile_views,video_completes,video_total_duration"),
    "conversions": (MORE + ",conversion_source,purchased_entity_id", ",".join(
        f"{kind}_{unit}" for kind in ("halo", "halo_exposed", "new_to_brand")
        for unit in ("transactions", "units", "revenue"))),
    "activity": (KEYS, "hours_live,time_live"),
    "names": ("advertiser_id,advertiser_name,campaign_id,campaign_name,ad_group_id,ad_group_name",
              "campaign_status,ad_group_status")}
run, http, file = duckdb.connect(sys.argv[1]).execute, requests.Session(), sys.argv[1] + ".csv"
http.headers["Ocp-Apim-Subscription-Key"] = os.environ["ENDCAP_KEY"]
http.get_adapter(URL).max_retries = requests.adapters.Retry(9, status_forcelist=[429, 503])
def get(path, **query):
    answer = http.get(f"{URL}/{path}", params=query)
    return answer if answer.status_code in (200, 410, 422, 504) else sys.exit(answer.text)
SQL = {"text": "VARCHAR", "date": "DATE", "integer": "BIGINT", "decimal": "DECIMAL(18, 6)"}
fields = get("metadata/fields").json()["data"]
types = {f["name"]: SQL[f["type"]] for f in fields["metrics"] + fields["dimensions"]}
columns = {table: {n: types[n] for n in ",".join(own).split(",")} for table, own in TABLES.items()}
for table, own in columns.items():
    run(f"CREATE TABLE IF NOT EXISTS {table} ({', '.join(map(' '.join, own.items()))})")
run("CREATE TABLE IF NOT EXISTS state (next VARCHAR, advertisers BIGINT[])")
run("BEGIN")  # all of this run, or nothing
(token, known), more = run("FROM state").fetchone() or (None, []), True
while more:
    answer = get("metadata/changes", since=token)
    if answer.status_code == 410: known, answer = [], get("metadata/changes")  # copy all again
    page, meta = answer.json(), answer.json()["meta"]
    token, ids, more = meta["next"], meta["advertiserIds"], meta["page"]["hasMore"]
    if "placements" in str(page["listings"]): known = []  # facts have their names
    kept, new = [i for i in ids if i in known], ",".join(str(i) for i in ids if i not in known)
    for table in TABLES: run(f"DELETE FROM {table} WHERE advertiser_id NOT IN ?", [kept])
    work = [(table, name, new, FIRST, LAST) for table in ("delivery", "conversions", "activity")
            for name in ("pla", "toa", "carousel") if new]
    for own in [own for own in page["data"] if own["advertiserId"] in kept]:
        days = [date.fromisoformat(own[day]) for day in ("from", "to")]
        work.append((own["table"], own["experience"], own["advertiserId"], *days))
        run(f"DELETE FROM {own['table']} WHERE experience_name = ? AND advertiser_id = ? AND "
            "daily_date BETWEEN ? AND ?", work[-1][1:])
    if work or page["listings"]: work.append(("names", "all", None, FIRST, LAST))
    if work: run("DELETE FROM names")
    while work:
        table, name, who, first, last = work.pop()
        offset, versions, middle = "0", set(), first + (last - first) // 2
        while offset:
            page = get(f"report/{name}", by=TABLES[table][0], metrics=TABLES[table][1], format="csv",
                       advertisers=who, start=first, end=last, offset=offset, size=50_000)
            offset = page.headers.get("Endcap-Next-Offset")
            versions.add(page.headers.get("Endcap-Data-Version"))
            if first < last and (offset or not page.ok):  # too much: both halves of the days
                work += [(table, name, who, first, middle), (table, name, who, middle + DAY, last)]
                break
            if not page.ok or len(versions) > 1: sys.exit(f"Run it again. {page.text[:999]}")
            open(file, "wb").write(page.content)
            run(f"""INSERT INTO {table} FROM read_csv('{file}', columns={columns[table]}, quote='"',
                escape='"', delim=',', header=true, auto_detect=false, nullstr='',
                allow_quoted_nulls=false)""")
    run("DELETE FROM names WHERE rowid NOT IN (SELECT max(rowid) FROM names GROUP BY ad_group_id)")
    known = ids
run("CREATE OR REPLACE TABLE state AS SELECT ? AS next, ? AS advertisers", [token, ids])
run("COMMIT")
