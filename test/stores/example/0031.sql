INSERT INTO reflection_runs (at, asks, suggestions) VALUES (1763800110000, 40, 3);
