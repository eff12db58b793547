-- A message with a text file.
UPDATE turns SET attachments = '[{"name":"note.txt","mediaType":"text/plain","bytes":5,"kind":"file","sha256":"2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824"}]'
  WHERE id = 'aaaaaaaa-0000-4000-8000-000000000003';
INSERT INTO attachment_contents (sha256, content) VALUES
  ('2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824', CAST('hello' AS BLOB));
