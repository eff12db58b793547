INSERT INTO kept_processes (at, from_team, to_team, thread, ended_from, ended_to, turn, used_at, saved_ms)
VALUES (1763800108000, 'frontend', 'backend', 'main', 'mobile', 'backend', 'aaaaaaaa-0000-4000-8000-000000000001', 1763800109000, 900);
INSERT INTO overtaken_turns (at, turn, overtaken)
VALUES (1763800108500, 'aaaaaaaa-0000-4000-8000-000000000001', 'aaaaaaaa-0000-4000-8000-00000000000c');
