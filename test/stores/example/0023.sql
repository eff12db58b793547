INSERT INTO healings (id, fault, subject, found, action, undo, found_at, healed_at) VALUES
  (1, 'process_died', 'frontend→backend', 'its process ended by itself: crashed', 'the next message resumes the conversation', NULL, 1763800110000, 1763800111000),
  (2, 'crash_loop', 'frontend→backend', 'its process keeps failing', 'no process is started', 'the wait is lifted', 1763800120000, NULL);
