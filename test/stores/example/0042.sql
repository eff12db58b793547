-- A turn that another model answered after a refusal.
INSERT INTO model_changes (turn, model, configured, why) VALUES
  ('aaaaaaaa-0000-4000-8000-000000000001', 'claude-opus-5', 'claude-opus-5-5', 'The safeguards flagged this message. Switched to Opus 5.');
