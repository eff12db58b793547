-- An account over its limit, and a value that was refused.
INSERT INTO account_limits (account, limited, windows, seen_at, worked_at) VALUES
  ('0f5c81d00f5c81d0', '{"until":1763800900000,"window":"five_hour"}', '[{"name":"five_hour","utilization":1,"resetsAt":1763800900000}]',
   1763800200000, 1763800100000);
INSERT INTO value_refusals (turn, try, errors) VALUES
  ('aaaaaaaa-0000-4000-8000-000000000003', 0, '["/port must be integer"]');
