INSERT INTO warm_starts (at, from_team, to_team, thread, asker, turn, used_at, saved_ms)
VALUES (1763800105000, 'frontend', 'backend', 'main', 'external', 'aaaaaaaa-0000-4000-8000-000000000001', 1763800106000, 800);
INSERT INTO file_collisions (at, turn, other_turn, path)
VALUES (1763800107000, 'aaaaaaaa-0000-4000-8000-000000000001', 'aaaaaaaa-0000-4000-8000-00000000000c', 'src/orders.ts');
