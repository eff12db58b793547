INSERT INTO cluster_asked (sequence, turn, host)
VALUES (1, '00000000-0000-4000-8000-000000000001', 'studio');
