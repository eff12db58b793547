-- The turn that waited works, with an agent of its own; another one left a command in the background.
UPDATE turns SET state = 'dispatched', dispatched_at = 1763800901000 WHERE sequence = 5;
INSERT INTO open_agents (turn, tool_use_id, delivery, description, opened_at) VALUES
  ('aaaaaaaa-0000-4000-8000-000000000005', 'toolu_agent', 'aaaaaaaa-0000-4000-8000-000000000005', 'looks it up', 1763800902000);
UPDATE turns SET background = '[{"command":"npm run watch","since":1763800105000}]' WHERE sequence = 1;
UPDATE tool_starts SET within = 'toolu_agent';
