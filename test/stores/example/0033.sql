INSERT INTO channel_posts (id, source, party, place, piece, text, state, created_at) VALUES
  (990, 'shop', 'telegram:42', 990, 0, 'report.csv', 'waiting', 1763800500000);
INSERT INTO channel_files (post, name, content) VALUES (990, 'report.csv', x'612c620a');
