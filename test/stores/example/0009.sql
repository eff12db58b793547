-- A message that asked for a value, and got one.
UPDATE turns SET response_schema = '{"type":"object","properties":{"port":{"type":"integer"}}}', value = '{"port":1615}'
  WHERE sequence = 1;
