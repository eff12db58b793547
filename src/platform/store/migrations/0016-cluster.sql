-- Hosts with an Iris of their own, as they last announced themselves. `key` is the public key that this host first saw.
CREATE TABLE cluster_hosts (
  name TEXT PRIMARY KEY,
  key TEXT NOT NULL,
  entry TEXT NOT NULL,
  seen_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
-- Asks of other hosts. `chain`: who asked before, the first asker first, JSON. `refusal`: how a refused ask ended, JSON; then
-- there is no turn of that id. `answered`: the asker's mailbox has the end.
CREATE TABLE cluster_asks (
  turn TEXT PRIMARY KEY,
  host TEXT NOT NULL,
  chain TEXT NOT NULL,
  refusal TEXT,
  answered INTEGER NOT NULL DEFAULT 0
) STRICT, WITHOUT ROWID;
CREATE INDEX cluster_asks_open ON cluster_asks (turn) WHERE answered = 0;
