INSERT INTO cluster_hosts (name, key, entry, seen_at) VALUES ('studio', 'a-public-key', '{"teams":[]}', 1000);
INSERT INTO cluster_asks (turn, host, chain, refusal, answered)
VALUES ('aaaaaaaa-0000-4000-8000-00000000000b', 'studio', '["frontend@studio"]', NULL, 1);
