-- A message named a callback. One of its events waits for another try, and one was given up.
UPDATE turns SET callback = 'ci', metadata = '{"build":7}' WHERE id = 'aaaaaaaa-0000-4000-8000-000000000001';
INSERT INTO callback_cursors (callback, sequence, off_at) VALUES ('ci', 2, NULL), ('old', 1, 1763800200000);
INSERT INTO callback_deliveries (callback, sequence, at, type, turn, question, tries, failed_at, next_at, problem)
SELECT 'ci', 1, accepted_at, 'turn-settled', id, NULL, 3, accepted_at, accepted_at + 60000, 'it answered with the HTTP status 500'
FROM turns WHERE id = 'aaaaaaaa-0000-4000-8000-000000000001';
INSERT INTO callback_deliveries (callback, sequence, at, type, turn, question, tries, failed_at, next_at, problem)
SELECT 'old', 1, accepted_at, 'turn-settled', id, NULL, 12, accepted_at, NULL, 'it answered with the HTTP status 410'
FROM turns WHERE id = 'aaaaaaaa-0000-4000-8000-000000000001';
