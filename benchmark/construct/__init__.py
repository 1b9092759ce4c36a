"""How a suite is made: apps as state machines, trajectories played on them, payloads laid over one step."""
