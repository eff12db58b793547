-- A turn that was answered after it was continued once, what its agent asked another team, one that failed, one in a thread,
-- and one that waits.
INSERT INTO team_sessions (
  from_team, to_team, thread, session_id, created_at, last_used_at, message_count, last_response_at, last_answered_delivery
) VALUES (
  'frontend', 'backend', 'review', '44444444-4444-4444-8444-444444444444', 1763800300000, 1763800400000, 1, 1763800400000,
  'aaaaaaaa-0000-4000-8000-000000000004'
);
INSERT INTO turns (
  id, session, message, parent_turn, parent_tool_use, hop, awaited, idempotency_key, state, outcome, reason, detail, answer,
  partial, usage, context_reset, accepted_at, dispatched_at, started_at, settled_at
) VALUES
  ('aaaaaaaa-0000-4000-8000-000000000001', 1, 'Which fields has an order?', NULL, NULL, 0, 1, 'key-1', 'settled', 'completed',
    NULL, NULL, 'An order has an id, a customer and lines. It''s in "orders.ts".', NULL,
    '{"inputTokens":3,"outputTokens":40,"cacheReadTokens":900,"cacheWriteTokens":20,"costUsd":0.01}', NULL, 1763800100000,
    1763800100100, 1763800100200, 1763800110000),
  ('aaaaaaaa-0000-4000-8000-000000000002', 3, 'Does the app show orders?', 'aaaaaaaa-0000-4000-8000-000000000001',
    'toolu_ask', 1, 1, NULL, 'settled', 'completed', NULL, NULL, 'Yes: ✓ 注文', NULL, NULL, NULL, 1763700100000, 1763700100100,
    1763700100200, 1763700110000),
  ('aaaaaaaa-0000-4000-8000-000000000003', 2, 'Wait for it.', NULL, NULL, 0, 0, NULL, 'settled', 'timed_out', 'hung',
    'No sign of life.', NULL, 'So far', NULL, NULL, 1763800150000, 1763800150100, NULL, 1763800200000),
  ('aaaaaaaa-0000-4000-8000-000000000004', 4, 'Review it.', NULL, NULL, 0, 1, NULL, 'settled', 'completed', NULL, NULL, 'Done.',
    NULL, NULL, NULL, 1763800300000, 1763800300100, 1763800300200, 1763800400000),
  ('aaaaaaaa-0000-4000-8000-000000000005', 1, 'And which has a customer?', NULL, NULL, 0, 1, NULL, 'accepted', NULL, NULL, NULL,
    NULL, NULL, NULL, NULL, 1763800900000, NULL, NULL, NULL);
INSERT INTO later_deliveries (turn, uuid, committed_at) VALUES
  ('aaaaaaaa-0000-4000-8000-000000000001', 'bbbbbbbb-0000-4000-8000-000000000001', 1763800105000);
INSERT INTO tool_starts (turn, tool_use_id, delivery, name, input_hash, started_at) VALUES
  ('aaaaaaaa-0000-4000-8000-000000000001', 'toolu_ask', 'aaaaaaaa-0000-4000-8000-000000000001', 'mcp__iris__send_message',
    '4f4851966daadb8039b55521ab372587b169ca4fedc9d7986aea6c3afc2f2061', 1763800101000);
