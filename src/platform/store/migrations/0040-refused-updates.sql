-- The latest updates of a person in a chat that were refused, a JSON array: only these are known, and what is before all of a full array.
ALTER TABLE channel_refusals ADD COLUMN updates TEXT NOT NULL DEFAULT '[]';
UPDATE channel_refusals SET updates = json_array(last_update);
ALTER TABLE channel_refusals DROP COLUMN last_update;
