"""Executes a notebook and writes it with its outputs, without what differs between two equal runs: arguments are the notebook and the file to write."""

import sys

import nbformat
from nbclient import NotebookClient

notebook = nbformat.read(sys.argv[1], as_version=4)
NotebookClient(notebook, timeout=300, kernel_name="python3").execute()
for number, cell in enumerate((cell for cell in notebook.cells if cell.cell_type == "code"), 1):
    cell.metadata = {}
    cell.execution_count = number
notebook.metadata = {"kernelspec": notebook.metadata["kernelspec"], "language_info": {"name": "python"}}
nbformat.write(notebook, sys.argv[2])
