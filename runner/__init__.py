"""How it is run: models, harness, judges, executors, trackers, reports, and the command line."""
