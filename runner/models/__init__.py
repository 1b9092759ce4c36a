"""Victims and judges behind one protocol (`runner.exchange.Model`)."""
