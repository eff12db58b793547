INSERT INTO cluster_cancels (turn, host, detail, at)
VALUES ('aaaaaaaa-0000-4000-8000-00000000000d', 'studio', 'On request.', 1763800108000);
