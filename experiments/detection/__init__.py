"""Scenario detection: why TopicTiling cuts as it does."""
