-- The word for where a conversation of a channel takes place is "chat", as in code and guide.
ALTER TABLE channel_messages RENAME COLUMN party TO chat;
ALTER TABLE channel_posts RENAME COLUMN party TO chat;
ALTER TABLE channel_people RENAME COLUMN party TO chat;
ALTER TABLE channel_refusals RENAME COLUMN party TO chat;
