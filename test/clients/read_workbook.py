"""Prints the first sheet of a workbook as openpyxl and as LibreOffice read it: of each cell its type and value."""

import datetime
import json
import subprocess
import sys
import xml.etree.ElementTree as ElementTree

import openpyxl
from openpyxl.utils.escape import unescape

OFFICE = "{urn:oasis:names:tc:opendocument:xmlns:office:1.0}"
TABLE = "{urn:oasis:names:tc:opendocument:xmlns:table:1.0}"
workbook, folder = sys.argv[1:]


def of_openpyxl(cell):
    value = cell.value
    if isinstance(value, datetime.datetime):
        return ["date", value.date().isoformat()]
    if cell.data_type == "n":
        return None if value is None else ["number", value]
    return [{"s": "text", "inlineStr": "text"}.get(cell.data_type, cell.data_type), unescape(value or "")]


def of_libre_office(cell):
    kind = cell.get(f"{OFFICE}value-type")
    if cell.get(f"{TABLE}formula"):
        return ["formula", cell.get(f"{TABLE}formula")]
    if kind is None:
        return None
    if kind == "date":
        return ["date", cell.get(f"{OFFICE}date-value")]
    if kind == "string":
        return ["text", "\n".join("".join(line.itertext()) for line in cell)]
    return [kind, float(cell.get(f"{OFFICE}value"))]


sheet = openpyxl.load_workbook(workbook).worksheets[0]
subprocess.run(["soffice", f"-env:UserInstallation=file://{folder}/profile", "--headless", "--convert-to", "fods", "--outdir", folder, workbook],
               check=True, capture_output=True)
tables = ElementTree.parse(f"{folder}/{workbook.rsplit('/', 1)[-1].replace('.xlsx', '.fods')}")
first = next(tables.iter(f"{TABLE}table"))
filtered = [found.get(f"{TABLE}target-range-address") for found in tables.iter(f"{TABLE}database-range")]
rows = []
for row in first.iter(f"{TABLE}table-row"):
    cells = [of_libre_office(cell) for cell in row for _ in range(int(cell.get(f"{TABLE}number-columns-repeated", 1)))]
    rows.append(cells[: sheet.max_column])
print(json.dumps({
    "openpyxl": {"filter": sheet.auto_filter.ref, "frozen": sheet.freeze_panes, "rows": [[of_openpyxl(cell) for cell in row] for row in sheet.rows]},
    "libreOffice": {"filters": filtered, "rows": rows[: sheet.max_row]},
}))
