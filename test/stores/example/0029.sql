-- Another console had joined the turn, and has not read the answer either.
INSERT INTO late_answers (turn, console, owed_at, pushed_at, announced_at, read_at) VALUES
  ('aaaaaaaa-0000-4000-8000-000000000003', 'cccccccc-0000-4000-8000-000000000002', 1763800110000, NULL, NULL, NULL);
