import { expect, test } from 'vitest'
import { asTyped } from './table.ts'

test.each([
  [
    'list_sessions names them; with status: all archived ones too.',
    '"iris sessions" names them; with --status all archived ones too.',
  ],
  ['session_cancel: turnId: is no id of a turn.', 'turnId: is no id of a turn.'],
  [
    'Correct the arguments; the tool description says what it accepts.',
    'Correct the arguments; --help says what it accepts.',
  ],
  [
    'Wait until it has ended, or use force: true to cut it off.',
    'Wait until it has ended, or use --force to cut it off.',
  ],
  ['Name the team that answers (team).', 'Name the team that answers (--team).'],
  ['See settings.max_turns of my_team.', 'See settings.max_turns of my_team.'],
])('%j is said to people as %j', (called, typed) => {
  expect(asTyped(called)).toBe(typed)
})
