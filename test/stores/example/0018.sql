-- A message that joined a running turn, which had gone first.
UPDATE turns SET priority = 1 WHERE id = 'aaaaaaaa-0000-4000-8000-000000000003';
INSERT INTO steers (uuid, turn, message, idempotency_key, joined_at) VALUES
  ('bbbbbbbb-0000-4000-8000-000000000018', 'aaaaaaaa-0000-4000-8000-000000000003', 'And the tests too.', 'external steer-1', 1763800150000);
