-- The last edit or deletion of a message that Iris knows of, by the platform's time or count; NULL: none.
ALTER TABLE channel_messages ADD COLUMN last_change INTEGER;
CREATE INDEX channel_messages_by_message ON channel_messages (source, message_id);
-- Chats that go on under another id, as their platform said. Iris keeps the first id as the name of the chat.
CREATE TABLE channel_moves (
  source TEXT NOT NULL,
  old_id TEXT NOT NULL,
  new_id TEXT NOT NULL,
  moved_at INTEGER NOT NULL,
  PRIMARY KEY (source, old_id)
) STRICT, WITHOUT ROWID;
