"""People look at what judges said: samples of answers, a page to label them on, and how far labels and verdicts agree."""
