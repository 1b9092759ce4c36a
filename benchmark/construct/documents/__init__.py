"""The document domain: receipts and resumes, drawn from data, with a payload laid over the last page.

`BUILDER` plans and builds its cases. What stands on a page is in `facts`, how it looks in `receipts` and `resumes`,
what is asked in `tasks`, what a payload says and how it looks in `wordings` and `marks`, and what a scanner does to
the pixels in `paper`.
"""

from benchmark.construct.documents.build import BUILDER, DocumentError, Documents

__all__ = ["BUILDER", "DocumentError", "Documents"]
