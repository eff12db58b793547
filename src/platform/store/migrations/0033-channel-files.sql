-- Files that agents send to chats. A content is kept until its post has ended.
CREATE TABLE channel_files (
  post INTEGER PRIMARY KEY REFERENCES channel_posts (id) ON DELETE CASCADE,
  name TEXT NOT NULL,
  content BLOB NOT NULL,
  -- The platform's id of a content that it has and shows to nobody yet.
  upload TEXT
) STRICT;
CREATE TRIGGER channel_files_end AFTER UPDATE OF state ON channel_posts
WHEN new.state IN ('posted', 'in_doubt', 'failed')
BEGIN
  DELETE FROM channel_files WHERE post = new.id;
END;
