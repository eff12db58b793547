-- The traceparent with which a message came, so that its spans join the trace of its sender.
CREATE TABLE turn_traces (
  turn TEXT PRIMARY KEY REFERENCES turns (id),
  traceparent TEXT NOT NULL
) STRICT, WITHOUT ROWID;
