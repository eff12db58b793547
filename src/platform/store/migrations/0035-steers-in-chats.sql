-- Who sent a message that joined a turn: JSON for the model. Null: the asker of the turn.
ALTER TABLE steers ADD COLUMN sender TEXT;
-- A turn may now belong to several messages: the one that began it, and those that joined it, which keep their text here.
CREATE TABLE channel_messages_new (
  source TEXT NOT NULL,
  update_id TEXT NOT NULL,
  party TEXT NOT NULL,
  sender TEXT NOT NULL,
  sender_name TEXT NOT NULL,
  message_id TEXT NOT NULL,
  sent_at INTEGER NOT NULL,
  received_at INTEGER NOT NULL,
  text TEXT,
  state TEXT NOT NULL CHECK (state IN ('asked', 'answered', 'handled', 'skipped', 'refused')),
  turn TEXT,
  note TEXT,
  PRIMARY KEY (source, update_id)
) STRICT, WITHOUT ROWID;
INSERT INTO channel_messages_new SELECT source, update_id, party, sender, sender_name, message_id, sent_at, received_at,
  text, state, turn, note FROM channel_messages;
DROP TABLE channel_messages;
ALTER TABLE channel_messages_new RENAME TO channel_messages;
CREATE INDEX channel_messages_open ON channel_messages (sender) WHERE state = 'asked';
CREATE INDEX channel_messages_turn ON channel_messages (turn) WHERE turn IS NOT NULL;
