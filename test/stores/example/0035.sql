INSERT INTO steers (uuid, turn, message, joined_at, sender)
VALUES ('bbbbbbbb-0000-4000-8000-000000000034', 'aaaaaaaa-0000-4000-8000-000000000001', 'And in Norway?', 1763800104500, '{"userId":"43","userName":"Bob"}');
