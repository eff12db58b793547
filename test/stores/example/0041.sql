-- What an agent said when its command in the background had ended, with a tool of that turn, and a command that ended with its process.
INSERT INTO reports (turn, uuid, text, kind, usage, counted, reported_at, read_at) VALUES
  ('aaaaaaaa-0000-4000-8000-000000000001', 'eeeeeeee-0000-4000-8000-000000000001', 'The watch has ended.', 'said',
    '{"inputTokens":2,"outputTokens":5,"cacheReadTokens":0,"cacheWriteTokens":0,"costUsd":0.001}', 1, 1763800300000, 1763800310000),
  ('aaaaaaaa-0000-4000-8000-000000000001', 'b1', 'npm run watch', 'ended', NULL, 0, 1763800400000, NULL);
INSERT INTO report_tools (tool_use_id, turn, name, input_short, started_at) VALUES
  ('toolu_report', 'aaaaaaaa-0000-4000-8000-000000000001', 'Bash', 'npm test', 1763800290000);
