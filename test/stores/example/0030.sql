INSERT INTO cluster_cancels (turn, host, detail)
VALUES ('aaaaaaaa-0000-4000-8000-00000000000c', 'studio', 'Cancelled on request.');
INSERT INTO cluster_moves (at, kind, from_team, to_team, thread, former_host, host)
VALUES (1763800120000, 'taken', 'frontend@laptop', 'backend', 'main', 'studio', 'tower');
