-- How many messages of a person in a chat were refused: a flood leaves one row. Updates up to the last one are known.
CREATE TABLE channel_refusals (
  source TEXT NOT NULL,
  party TEXT NOT NULL,
  sender TEXT NOT NULL,
  messages INTEGER NOT NULL,
  last_update TEXT NOT NULL,
  refused_at INTEGER NOT NULL,
  PRIMARY KEY (source, party, sender)
) STRICT, WITHOUT ROWID;

-- Posted beside the answer that is being written: questions, and what an agent posts while it works.
ALTER TABLE channel_posts ADD COLUMN aside INTEGER NOT NULL DEFAULT 0 CHECK (aside IN (0, 1));
UPDATE channel_posts SET aside = 1 WHERE permission IS NOT NULL;
