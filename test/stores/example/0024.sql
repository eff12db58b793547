-- A message for every working day.
INSERT INTO schedules (id, ask, plan, next_at, created_at, last_turn, problem) VALUES
  ('cccccccc-0000-4000-8000-000000000020',
   '{"pair":{"from":"external","to":"backend","thread":"main"},"message":"What is new?","waits":false}',
   '{"every":"weekday","zone":"Europe/Berlin","hour":9,"minute":0,"weekday":1}', 1763971200000, 1763800000000,
   'aaaaaaaa-0000-4000-8000-000000000003', NULL);
