-- Rows of both tables are deleted by their age.
ALTER TABLE turn_traces ADD COLUMN noted_at INTEGER NOT NULL DEFAULT 0;
UPDATE turn_traces SET noted_at = coalesce((SELECT accepted_at FROM turns WHERE id = turn), 0);
CREATE INDEX turn_traces_by_time ON turn_traces (noted_at);
CREATE INDEX kept_answers_by_time ON kept_answers (noted_at);
