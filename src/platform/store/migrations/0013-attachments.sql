-- The files that came with the message, JSON: of each its name, mediaType, bytes, kind and sha256. NULL: none. A file
-- without sha256 was deleted.
ALTER TABLE turns ADD COLUMN attachments TEXT;
-- The conversations with files, to find what a conversation holds and what nobody needs any more.
CREATE INDEX turns_attachments ON turns (session) WHERE attachments IS NOT NULL;
-- The content of each file, once for all messages that have it.
CREATE TABLE attachment_contents (
  sha256 TEXT PRIMARY KEY,
  content BLOB NOT NULL
) STRICT;
