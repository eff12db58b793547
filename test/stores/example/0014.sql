-- A question was posted in a chat and answered there, so that its buttons are gone.
INSERT INTO channel_posts (source, party, place, piece, text, state, platform_id, created_at, permission, input_hash, mode, can_allow, outcome) VALUES
  ('shop', 'telegram:42', 900, 0, 'May backend use Bash?', 'posted', '77', 1763800300000, 'bbbbbbbb-0000-4000-8000-000000000009', 'ab', 'ask', 1, 'Denied.');
