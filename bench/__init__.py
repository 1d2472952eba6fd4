"""Measuring the product as it runs: seeded data in a scratch database, real processes, real HTTP."""
