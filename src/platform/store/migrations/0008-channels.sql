-- Messages of people in chats, each once, as its platform numbers them. One that is answered is committed with its turn.
CREATE TABLE channel_messages (
  -- The name of the channel in config.yaml.
  source TEXT NOT NULL,
  update_id TEXT NOT NULL,
  -- {platform}:{channelId}, the asker of the turn.
  party TEXT NOT NULL,
  -- The platform's numeric id of the person, and the name that the person chose.
  sender TEXT NOT NULL,
  sender_name TEXT NOT NULL,
  message_id TEXT NOT NULL,
  sent_at INTEGER NOT NULL,
  received_at INTEGER NOT NULL,
  -- Of what was not asked; of a turn the ledger has it.
  text TEXT,
  state TEXT NOT NULL CHECK (state IN ('asked', 'answered', 'handled', 'skipped', 'refused')),
  turn TEXT UNIQUE,
  -- Told with the answer, such as why the conversation is a new one.
  note TEXT,
  PRIMARY KEY (source, update_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX channel_messages_open ON channel_messages (sender) WHERE state = 'asked';

-- What is to be posted, in the order of `place` and `piece`. A post that waits for an answer has no text yet.
CREATE TABLE channel_posts (
  id INTEGER PRIMARY KEY,
  source TEXT NOT NULL,
  party TEXT NOT NULL,
  turn TEXT,
  place INTEGER NOT NULL,
  piece INTEGER NOT NULL,
  text TEXT,
  reply_to TEXT,
  -- `sending` is committed before the platform is asked: what is found so after a crash may have been posted.
  state TEXT NOT NULL DEFAULT 'waiting' CHECK (state IN ('waiting', 'sending', 'reserved', 'posted', 'in_doubt', 'failed')),
  platform_id TEXT,
  problem TEXT,
  created_at INTEGER NOT NULL,
  UNIQUE (place, piece)
) STRICT;
CREATE INDEX channel_posts_open ON channel_posts (source, party, place, piece)
  WHERE state IN ('waiting', 'sending', 'reserved');

-- Up to which update everything of a channel is in channel_messages, or needs no row.
CREATE TABLE channel_cursors (
  source TEXT PRIMARY KEY,
  cursor TEXT NOT NULL,
  -- When it was first connected: what was written before is nobody's question.
  since INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- Who may talk, besides those in config.yaml, and who asks to.
CREATE TABLE channel_people (
  source TEXT NOT NULL,
  sender TEXT NOT NULL,
  name TEXT NOT NULL,
  -- The channel where the code was shown.
  party TEXT NOT NULL,
  -- NULL: allowed.
  code TEXT,
  since INTEGER NOT NULL,
  PRIMARY KEY (source, sender)
) STRICT, WITHOUT ROWID;
