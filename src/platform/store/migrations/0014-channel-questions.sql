-- A post that asks for a permission. Its buttons carry the token.
ALTER TABLE channel_posts ADD COLUMN permission TEXT;
ALTER TABLE channel_posts ADD COLUMN input_hash TEXT;
ALTER TABLE channel_posts ADD COLUMN token TEXT;
ALTER TABLE channel_posts ADD COLUMN mode TEXT CHECK (mode IN ('ask', 'forward'));
ALTER TABLE channel_posts ADD COLUMN can_allow INTEGER NOT NULL DEFAULT 0 CHECK (can_allow IN (0, 1));
-- How the question ended: the text that replaces the post.
ALTER TABLE channel_posts ADD COLUMN outcome TEXT;
CREATE UNIQUE INDEX channel_posts_token ON channel_posts (token) WHERE token IS NOT NULL;
CREATE INDEX channel_posts_permission ON channel_posts (permission) WHERE permission IS NOT NULL;
