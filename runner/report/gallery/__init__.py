"""The gallery of one run or two: static pages that open from disk, fit into a mail and need no server."""
