-- Somebody wrote far too much.
INSERT INTO channel_refusals VALUES ('shop', 'telegram:42', '42', 994, '2000', 1763800400000);
