"""What is measured: cases, suites and their construction, apps and environment, scoring, statistics.

This package knows no model, no network, no Hydra and no Ray; `runner` builds on it, never the other way round.
"""
