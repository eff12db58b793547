-- The account with which the conversation was held: the directory or file of its login. Empty: that of the user.
ALTER TABLE team_sessions ADD COLUMN account TEXT NOT NULL DEFAULT '';
