INSERT INTO channel_messages (source, update_id, party, sender, sender_name, message_id, sent_at, received_at, text, state, turn, note)
VALUES ('shop', '100', 'telegram:42', '42', 'Ada', '7', 1000, 1001, NULL, 'answered', 'aaaaaaaa-0000-4000-8000-000000000001', NULL);
INSERT INTO channel_posts (id, source, party, turn, place, piece, text, reply_to, state, platform_id, problem, created_at)
VALUES (1, 'shop', 'telegram:42', 'aaaaaaaa-0000-4000-8000-000000000001', 1, 0, 'Yes', '7', 'posted', '8', NULL, 1002);
INSERT INTO channel_cursors (source, cursor, since) VALUES ('shop', '100', 900);
INSERT INTO channel_people (source, sender, name, party, code, since) VALUES ('shop', '42', 'Ada', 'telegram:42', NULL, 900);
