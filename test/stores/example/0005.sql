-- The tool's end, and a turn that waited in its queue.
UPDATE tool_starts SET ended_at = 1763800104000, is_error = 0, input_short = 'mobile';
UPDATE turns SET first_at = 1763800100050 WHERE sequence = 1;
