-- The answer of the first turn relies on two files, of which one has changed.
INSERT INTO answer_states (turn, head, noted_at, reported_at) VALUES
  ('aaaaaaaa-0000-4000-8000-000000000001', '3f2a9c013f2a9c013f2a9c013f2a9c013f2a9c01', 1763800110000, NULL);
INSERT INTO answer_files (turn, path, hash, changed_at, commit_id, author) VALUES
  ('aaaaaaaa-0000-4000-8000-000000000001', 'src/orders.ts', '5feceb66', 1763800500000, '77b0e4d277b0e4d277b0e4d277b0e4d277b0e4d2', 'An Author'),
  ('aaaaaaaa-0000-4000-8000-000000000001', 'src/lines.ts', '6b86b273', NULL, NULL, NULL);
