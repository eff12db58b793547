-- Hosts sign and count their announcements. `count`: of the last one that this host kept; null: that host has signed none.
ALTER TABLE cluster_hosts ADD COLUMN count INTEGER;
-- No announcement of this host has a greater count; one row.
CREATE TABLE cluster_count (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  most INTEGER NOT NULL
) STRICT;
-- Hosts that have a team together with the host in its full name, since when (milliseconds since the epoch).
CREATE TABLE cluster_members (
  team TEXT NOT NULL,
  host TEXT NOT NULL,
  since INTEGER NOT NULL,
  PRIMARY KEY (team, host)
) STRICT, WITHOUT ROWID;
