"""Models that readers, judges and explainers share: load, batch, score, generate."""
