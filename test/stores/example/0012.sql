-- A console asked, left, and was handed the answer.
INSERT INTO late_answers (turn, console, owed_at, pushed_at, announced_at, read_at) VALUES
  ('aaaaaaaa-0000-4000-8000-000000000003', 'cccccccc-0000-4000-8000-000000000001', 1763800100000, 1763800200000, NULL, NULL);
