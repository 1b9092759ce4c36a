"""Where a run reports its numbers while it goes on."""
