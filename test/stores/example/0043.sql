-- A message that was edited, and a group that became another one.
UPDATE channel_messages SET last_change = 101 WHERE update_id = '100';
INSERT INTO channel_moves (source, old_id, new_id, moved_at) VALUES ('shop', '-4012', '-1004012', 1003);
