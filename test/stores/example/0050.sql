INSERT INTO trigger_seen (name, hash, first_seen, turn, began)
VALUES ('github', 'c0ffee', 1763800200000, 'aaaaaaaa-0000-4000-8000-000000000003', 1);
