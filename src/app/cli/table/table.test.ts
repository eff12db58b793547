import { Command } from 'commander'
import { expect, test } from 'vitest'
import { saysWhoAsks } from './call-command.ts'
import { offerInput } from './contract-options.ts'
import { operationsOffered } from './operations-offered.ts'
import { asTyped, commandTable } from './table.ts'

test.each([
  [
    'list_sessions lists them; status: all includes archived ones.',
    '"iris sessions" lists them; --status all includes archived ones.',
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

test('each command with an option for who asks acts as the team of the directory, by itself or here', () => {
  const offered = operationsOffered()
  const speaking = commandTable.filter((spec) => saysWhoAsks(spec, offered)).map(({ name }) => name)
  const byThemselves = ['tell', 'cancel', 'notify']
  const here = ['wake', 'wake-all', 'sleep']
  expect(speaking).toEqual([...byThemselves, ...here])
})

test('each time that is typed takes a unit', () => {
  const command = new Command()
  const operation = operationsOffered().send_message
  const read = offerInput(command, { operation, places: {}, without: [], asTyped: (text) => text })
  command.parse(['--timeout', '5m', '--budget', '{"time":"90s","turns":2}'], { from: 'user' })
  expect(read([])).toEqual({ timeout: 300_000, budget: { time: 90_000, turns: 2 } })
})
