-- When the tool's result came back, as its turn's end was committed; NULL: it works still, or its end was cut off.
ALTER TABLE tool_starts ADD COLUMN ended_at INTEGER;
-- 1: what came back was an error.
ALTER TABLE tool_starts ADD COLUMN is_error INTEGER;
-- The telling part of its input, short and without secrets.
ALTER TABLE tool_starts ADD COLUMN input_short TEXT NOT NULL DEFAULT '';
-- When the turn came first in its queue, where that was not the moment of its delivery.
ALTER TABLE turns ADD COLUMN first_at INTEGER;
CREATE INDEX permissions_of_turn ON permissions (turn) WHERE turn IS NOT NULL;
