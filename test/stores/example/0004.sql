-- A question that was allowed for the pair from then on, with its entries in the audit, and a budget.
INSERT INTO permissions (
  id, session, process_start, turn, tool_use_id, tool_name, input, input_hash, suggestions, directory, chain, asked_at,
  deadline, state, decided_by, decided_at, scope, message
) VALUES (
  'cccccccc-0000-4000-8000-000000000001', 1, 'dddddddd-0000-4000-8000-000000000001', 'aaaaaaaa-0000-4000-8000-000000000001',
  'toolu_bash', 'Bash', '{"command":"npm test"}', '9178ac939ad908d8fd89e97596cdc0e5e28dee903ccb18dc79d0fb98698cbd14', '[]', '/projects/backend', '["frontend","backend"]',
  1763800102000, 1763800402000, 'allowed', 'owner', 1763800103000, 'pair', NULL
);
INSERT INTO permission_grants (from_team, to_team, session, decision, rule, permission, granted_at) VALUES
  ('frontend', 'backend', NULL, 'allow', 'Bash(npm test)', 'cccccccc-0000-4000-8000-000000000001', 1763800103000);
INSERT INTO audit (at, actor, action, subject, decision, input_hash, detail, previous_hash, hash) VALUES
  (1763800000000, 'iris', 'daemon.started', 'iris', NULL, NULL, '{"pid":1}',
    '0000000000000000000000000000000000000000000000000000000000000000',
    'dccb73e493a7f798169420c98f030cc5cf3d197e27da8495a2a5cd70817f8b8d'),
  (1763800103000, 'owner', 'permission.answered', 'frontend→backend', 'allow', '9178ac939ad908d8fd89e97596cdc0e5e28dee903ccb18dc79d0fb98698cbd14', '{"team":"backend"}',
    'dccb73e493a7f798169420c98f030cc5cf3d197e27da8495a2a5cd70817f8b8d',
    '330477f5716bbbf3f9832730ee4ad9d76cc9fe15f28f608898e53bc68fb2e356');
UPDATE turns SET budget = '{"maxTurns":20,"maxCostUsd":1}' WHERE sequence = 1;
