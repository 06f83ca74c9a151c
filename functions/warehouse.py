"""Copies your facts into a DuckDB file, and then what has changed: python warehouse.py FILE"""
import os, sys, duckdb, requests  # pip install requests duckdb
from datetime import date, timedelta
URL, DAY = os.environ["ENDCAP_URL"], timedelta(days=1)
FIRST, LAST = date(2020, 1, 1), date.today() + 366 * DAY  # of the first copy
KEYS = "experience_name,advertiser_id,daily_date,hour,ad_group_id"
MORE = KEYS + ",placement,division_banner,keyword,entity_id,creative_key,match_type,search_term"
TABLES = {  # facts have only ids, because names are those of today
    "delivery": {"by": MORE, "metrics": "impressions,clicks,cost,opportunities,video_pauses,"
        "measurable_impressions,viewable_impressions,video_starts,video_first_quartile_views,"
        "video_second_quartile_views,video_third_quartile_views,video_completes,"
        "video_total_duration"},
    "conversions": {"by": MORE + ",conversion_source,purchased_entity_id", "metrics": ",".join(
        f"{kind}_{unit}" for kind in ("halo", "halo_exposed", "new_to_brand")
        for unit in ("transactions", "units", "revenue"))},
    "activity": {"by": KEYS, "metrics": "hours_live,time_live"},
    "names": {"by": "advertiser_id,advertiser_name,campaign_id,campaign_name,ad_group_id,"
        "ad_group_name", "metrics": "campaign_status,ad_group_status"}}
def get(path, **query):
    answer = http.get(f"{URL}/{path}", params=query)
    return answer if answer.status_code in (200, 410, 422, 504) else sys.exit(answer.text)
run, http = duckdb.connect(sys.argv[1]).execute, requests.Session()
http.headers["Ocp-Apim-Subscription-Key"] = os.environ["ENDCAP_KEY"]
http.get_adapter(URL).max_retries = requests.adapters.Retry(9, status_forcelist=[429, 503])
sql = {"text": "VARCHAR", "date": "DATE", "integer": "BIGINT", "decimal": "DECIMAL(18, 6)"}
fields = get("metadata/fields").json()["data"]
types = {f["name"]: sql[f["type"]] for f in fields["metrics"] + fields["dimensions"]}
columns = {t: {n: types[n] for n in ",".join(q.values()).split(",")} for t, q in TABLES.items()}
for table, own in columns.items():
    run(f"CREATE TABLE IF NOT EXISTS {table} ({', '.join(map(' '.join, own.items()))})")
run("CREATE TABLE IF NOT EXISTS state (next VARCHAR, advertisers BIGINT[])")
run("BEGIN")  # all of this run, or nothing
(token, known), more = run("FROM state").fetchone() or (None, []), True
while more:
    answer = get("metadata/changes", since=token)
    if answer.status_code == 410: known, answer = [], get("metadata/changes")  # copy all again
    changes, meta = answer.json(), answer.json()["meta"]
    token, ids, more = meta["next"], meta["advertiserIds"], meta["page"]["hasMore"]
    if "placements" in str(changes["listings"]): known = []  # facts have their names
    kept, new = [i for i in ids if i in known], ",".join(str(i) for i in ids if i not in known)
    known = ids
    for table in TABLES: run(f"DELETE FROM {table} WHERE advertiser_id NOT IN ?", [kept])
    work = [(c["table"], c["experience"], c["advertiserId"], *map(date.fromisoformat, (c["from"],
            c["to"]))) for c in changes["data"] if c["advertiserId"] in kept]
    work += [(table, name, new, FIRST, LAST) for name in ("pla", "toa", "carousel")
             for table in ("delivery", "conversions", "activity") if new]
    if work or changes["listings"]: work.append(("names", "all", None, FIRST, LAST))
    while work:
        table, name, who, first, last, *smaller = work.pop()
        if who: run(f"""DELETE FROM {table} WHERE experience_name = '{name}' AND advertiser_id IN
                        ({who}) AND daily_date BETWEEN '{first}' AND '{last}'""")
        size = smaller[0] if smaller else 50_000
        offset, versions, middle = "0", set(), first + (last - first) // 2
        while offset:
            page = get(f"report/{name}", **TABLES[table], advertisers=who, start=first, end=last,
                       format="csv", offset=offset, size=size)
            offset = page.headers.get("Endcap-Next-Offset")
            versions.add(page.headers.get("Endcap-Data-Version"))
            if first < last and (offset or not page.ok):  # too much: both halves of the days
                work += [(table, name, who, *d) for d in ((first, middle), (middle + DAY, last))]
                break
            if not page.ok and size > 100:  # long texts: smaller pages
                work.append((table, name, who, first, last, size // 4))
                break
            if not page.ok or len(versions) > 1: sys.exit(f"Run it again. {page.text[:999]}")
            with open(f"{sys.argv[1]}.csv", "wb") as file: file.write(page.content)
            run(f"""INSERT INTO {table} FROM read_csv('{file.name}', columns={columns[table]},
                header=true, auto_detect=false, delim=',', quote='"', escape='"', nullstr='',
                allow_quoted_nulls=false)""")
    run("DELETE FROM names WHERE rowid NOT IN (SELECT max(rowid) FROM names GROUP BY ad_group_id)")
run("CREATE OR REPLACE TABLE state AS SELECT ? AS next, ? AS advertisers", [token, ids])
run("COMMIT")
