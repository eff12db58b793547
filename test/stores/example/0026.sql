-- A message that an open session was given and has answered.
INSERT INTO live_asks (turn, console, let_in_at, noticed_at, pushed_at, answer) VALUES
  ('aaaaaaaa-0000-4000-8000-000000000003', 'console-1', 1763800110000, 1763800105000, 1763800111000, 'From the session.');
