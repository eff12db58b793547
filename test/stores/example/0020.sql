-- A suggestion that was applied, and one that was refused.
INSERT INTO suggestions (id, team, kind, subject, decision, decided_at) VALUES
  ('5feceb66ffc86f38', 'backend', 'claude-md', 'Where is the orders endpoint defined?', 'applied', 1763800600000),
  ('6b86b273ff34fce1', 'backend', 'rule', 'Bash npm test', 'refused', 1763800700000);
