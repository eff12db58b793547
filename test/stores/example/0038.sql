INSERT INTO watched_answers (turn, console, noted_at, told_at, pushed_at) SELECT id, 'console-1', 1767225600000, 1767225700000, NULL FROM turns LIMIT 1;
