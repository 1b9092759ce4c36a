"""A local page on which a user draws the boxes that a data set lacks; `mma annotate` serves it."""
