INSERT INTO journal_epochs (id, first) VALUES ('4f1d2c3b5a69', 1);
INSERT INTO journal (at, type, turn, question)
  SELECT accepted_at, 'turn-accepted', id, NULL FROM turns ORDER BY sequence;
