-- The JSON Schema that the answer has to meet, JSON; NULL: the answer is text.
ALTER TABLE turns ADD COLUMN response_schema TEXT;
-- The value that was taken as the answer, JSON; NULL: none.
ALTER TABLE turns ADD COLUMN value TEXT;
