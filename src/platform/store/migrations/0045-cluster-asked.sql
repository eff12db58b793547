-- Hosts that this one has asked to answer a turn, where several hosts have its team. The last one asked has the greatest
-- sequence. The rows of a turn go when it ends.
CREATE TABLE cluster_asked (
  sequence INTEGER PRIMARY KEY,
  turn TEXT NOT NULL,
  host TEXT NOT NULL,
  UNIQUE (turn, host)
) STRICT;
