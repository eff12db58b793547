import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import { scratchDirectory } from '../../../test/support/scratch.ts'
import { makeTables } from './database.ts'
import { Recording } from './recording.ts'

test('a tool took the time that it worked, and not that in which a person was asked for it', () => {
  using directory = scratchDirectory()
  const path = join(directory.path, 'store.db')
  using database = new DatabaseSync(path)
  makeTables(database)
  // A person was asked about the second use twice, because a first process died, and about the third in another turn.
  database.exec(`
    INSERT INTO team_sessions (id, from_team, to_team, thread, session_id, created_at, last_used_at, message_count, status)
      VALUES (1, 'frontend', 'backend', 'main', 's', 0, 0, 1, 'active');
    INSERT INTO turns (id, session, message, hop, awaited, state, outcome, accepted_at, settled_at)
      VALUES ('turn', 1, '', 1, 1, 'settled', 'completed', 1, 300000);
    INSERT INTO tool_starts (turn, tool_use_id, delivery, name, input_hash, started_at, ended_at, input_short)
      VALUES ('turn', 'alone', 'd', 'Read', 'h', 10, 60, 'a.ts'), ('turn', 'asked', 'd', 'Bash', 'h', 100, 200100, 'npm test'),
        ('turn', 'other', 'd', 'Bash', 'h', 200200, 200300, 'npm test');
    INSERT INTO permissions (id, session, process_start, turn, tool_use_id, tool_name, input, input_hash, suggestions,
        directory, chain, asked_at, deadline, state, decided_at)
      VALUES ('1', 1, 'p', 'turn', 'asked', 'Bash', '{}', 'h', '[]', '/', '[]', 200, 900000, 'ended', 1200),
        ('2', 1, 'p', 'turn', 'asked', 'Bash', '{}', 'h', '[]', '/', '[]', 2000, 900000, 'allowed', 178000),
        ('3', 1, 'p', NULL, 'other', 'Bash', '{}', 'h', '[]', '/', '[]', 2000, 900000, 'allowed', 178000),
        ('4', 1, 'p', 'turn', 'other', 'Bash', '{}', 'h', '[]', '/', '[]', 200250, 900000, 'pending', NULL)`)
  using recording = new Recording(path, { since: 0, until: 1e9, team: undefined })
  const took = [...recording.tools()].map((tool) => tool.took)
  expect(took.toSorted((one, other) => one - other)).toEqual([50, 100, 200_000 - 1000 - 176_000])
})
