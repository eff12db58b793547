-- The answer of the first turn was given again once.
INSERT INTO kept_answers (turn, key, head, files, noted_at, given, given_at) VALUES
  ('aaaaaaaa-0000-4000-8000-000000000001', '5feceb66ffc86f38d952786c6d696c79', '3f2a9c013f2a9c013f2a9c013f2a9c013f2a9c01',
   '[["CLAUDE.md","6b86b273"],["src/orders.ts","5feceb66"]]', 1763800110000, 1, 1763800800000);
