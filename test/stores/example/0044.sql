INSERT INTO cluster_count (id, most) VALUES (1, 1763800180000);
INSERT INTO cluster_members (team, host, since) VALUES ('backend@studio', 'tower', 1763800120000);
