-- The turn that timed out was tried again by the one in the thread, and a person has put its failure aside.
INSERT INTO retries (turn, failed) VALUES
  ('aaaaaaaa-0000-4000-8000-000000000004', 'aaaaaaaa-0000-4000-8000-000000000003');
INSERT INTO dismissed_failures (turn, dismissed_at) VALUES ('aaaaaaaa-0000-4000-8000-000000000003', 1763800200000);
