-- A conversation that was held with another account.
UPDATE team_sessions SET account = '~/.claude-work' WHERE id = (SELECT MIN(id) FROM team_sessions);
