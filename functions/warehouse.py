"""Copies your facts into a DuckDB file, and later what has changed: python warehouse.py FILE"""
import os, sys, duckdb, requests  # pip install requests duckdb
from datetime import date, timedelta
URL, FIRST, LAST = os.environ["ENDCAP_URL"], "2020-01-01", str(date.today() + timedelta(366))
KEYS = "experience_name,advertiser_id,daily_date,hour,ad_group_id"
MORE = KEYS + ",placement,division_banner,keyword,entity_id,creative_key,match_type,search_term"
BOUGHT, KINDS = ("transactions", "units", "revenue"), ("halo", "halo_exposed", "new_to_brand")
TABLES = {  # dimensions and metrics; names are as of now, so facts have ids
    "delivery": (MORE, "impressions,clicks,cost,opportunities,measurable_impressions,video_starts,"
        "viewable_impressions,video_pauses,video_first_quartile_views,video_second_quartile_views,"
        "video_third_quartile_views,video_completes,video_total_duration"),
    "conversions": (MORE + ",conversion_source,purchased_entity_id",
                    ",".join(f"{kind}_{what}" for kind in KINDS for what in BOUGHT)),
    "activity": (KEYS, "hours_live,time_live"),
    "names": ("advertiser_id,advertiser_name,campaign_id,campaign_name,ad_group_id,ad_group_name",
              "campaign_status,ad_group_status")}
def get(path, **query):
    answer = http.get(f"{URL}/{path}", params=query)
    return answer if answer.status_code in (200, 410, 422, 504) else sys.exit(answer.text)
def copy(table, experience, ids, first, last, offset="0", versions=frozenset()):
    by, metrics = TABLES[table]
    first, last = [date.fromisoformat(str(day)) for day in (first, last)]
    while offset:
        page = get(f"report/{experience}", by=by, metrics=metrics, advertisers=ids, start=first,
                   end=last, offset=offset, size=50_000, format="csv")
        offset, middle = page.headers.get("Endcap-Next-Offset"), first + (last - first) // 2
        versions |= {page.headers.get("Endcap-Data-Version")}
        if first < last and (offset or not page.ok):  # more than a page: halve the days
            copy(table, experience, ids, first, middle)
            return copy(table, experience, ids, middle + timedelta(1), last)
        if not page.ok or len(versions) > 1: sys.exit(f"Run it again. {page.text[:999]}")
        with open(f"{sys.argv[1]}.csv", "wb") as file: file.write(page.content)
        columns = {name: TYPES[name] for name in f"{by},{metrics}".split(",")}
        run(f"""INSERT INTO {table} FROM read_csv('{file.name}', columns={columns}, header=true,
            delim=',', quote='"', escape='"', nullstr='', allow_quoted_nulls=false, auto_detect=false)""")
run, http = duckdb.connect(sys.argv[1]).execute, requests.Session()
http.headers["Ocp-Apim-Subscription-Key"] = os.environ["ENDCAP_KEY"]
http.get_adapter(URL).max_retries = requests.adapters.Retry(9, status_forcelist=[429, 503])
SQL = {"text": "VARCHAR", "date": "DATE", "integer": "BIGINT", "decimal": "DECIMAL(18, 6)"}
fields = get("metadata/fields").json()["data"]
TYPES = {f["name"]: SQL[f["type"]] for f in fields["metrics"] + fields["dimensions"]}
for table, names in TABLES.items():
    columns = ", ".join(f"{name} {TYPES[name]}" for name in ",".join(names).split(","))
    run(f"CREATE TABLE IF NOT EXISTS {table} ({columns})")
run("CREATE TABLE IF NOT EXISTS state (next VARCHAR, advertisers BIGINT[])")
run("BEGIN")
(token, known), more = run("FROM state").fetchone() or (None, []), True
while more:
    answer = get("metadata/changes", since=token)
    if answer.status_code == 410: known, answer = [], get("metadata/changes")
    page, meta = answer.json(), answer.json()["meta"]
    token, ids, more = meta["next"], meta["advertiserIds"], meta["page"]["hasMore"]
    if "placements" in str(page["listings"]): known = []  # reports have names of placements only
    kept, new = [i for i in ids if i in known], [str(i) for i in ids if i not in known]
    for table in TABLES: run(f"DELETE FROM {table} WHERE advertiser_id NOT IN ?", [kept])
    work = [[c[key] for key in ("table", "experience", "advertiserId", "from", "to")]
            for c in page["data"] if c["advertiserId"] in kept]
    work += [(table, experience, ",".join(new), FIRST, LAST) for table in list(TABLES)[:3] 
             for experience in ("pla", "toa", "carousel") if new]
    for table, experience, *days in work:
        run(f"DELETE FROM {table} WHERE experience_name = '{experience}' AND advertiser_id IN "
            "({}) AND daily_date BETWEEN '{}' AND '{}'".format(*days))
        copy(table, experience, *days)
    if work or page["listings"]:
        run("DELETE FROM names")
        copy("names", "all", None, FIRST, LAST)
        run("DELETE FROM names WHERE rowid NOT IN (SELECT max(rowid) FROM names GROUP BY ad_group_id)")
    known = ids
run("DELETE FROM state")
run("INSERT INTO state VALUES (?, ?)", [token, ids])
run("COMMIT")
