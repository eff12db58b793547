INSERT INTO cluster_begun (sequence, turn, host, log, record, heard, waits_since)
VALUES (1, '00000000-0000-4000-8000-000000000001', 'studio', 'a1b2', 12, 1, NULL);
INSERT INTO cluster_logs (team, conversation, number, hash)
VALUES ('backend', 'c0ffee', 12, 'd00d');
