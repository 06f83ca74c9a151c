"""Calls the API with the client of openapi-python-client, and prints what it returns; arguments are the client's folder, the base URL and the API key."""

import sys

FOLDER, URL, KEY = sys.argv[1:]
sys.path.insert(0, FOLDER)

from endcap_client import Client  # noqa: E402
from endcap_client.api.metadata import list_accounts  # noqa: E402
from endcap_client.api.reports import submit_report  # noqa: E402
from endcap_client.models import (  # noqa: E402
    Dimension,
    Experience,
    Metric,
    Problem,
    ReportField,
    ReportPagination,
    ReportRequest,
    ReportSort,
    ReportSortOrder,
)

client = Client(base_url=URL, headers={"Ocp-Apim-Subscription-Key": KEY})
accounts = list_accounts.sync(client=client, size=2)
print(accounts.data[0].name, accounts.meta.page.total)

request = ReportRequest(
    start_date="2026-02-23",
    end_date="2026-03-01",
    advertiser_ids=[],
    filters=[],
    metrics=[Metric.IMPRESSIONS, Metric.COST],
    dimensions=[Dimension.CAMPAIGN_NAME],
    sort=[ReportSort(field=ReportField.COST, order=ReportSortOrder.DESC)],
    pagination=ReportPagination(offset=0, size=1),
)
report = submit_report.sync(Experience.PLA, client=client, body=request)
row = report.data[0]
print(report.total_count, row.campaign_name, row.impressions, row.cost)

request.end_date = "2026-02-01"
response = submit_report.sync_detailed(Experience.PLA, client=client, body=request)
assert isinstance(response.parsed, Problem)
print(int(response.status_code), response.parsed.code)
