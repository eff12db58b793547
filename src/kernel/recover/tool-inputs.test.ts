import { expect, test } from 'vitest'
import { sha256 } from '../../base/lib/sha256.ts'
import type { Session } from '../session/session.ts'
import { ToolInputs } from './tool-inputs.ts'

const start = (toolUseId: string, command: string) => ({
  toolName: 'Bash',
  toolUseId,
  input: { command },
  within: undefined,
  unsolicited: undefined,
  transcriptPath: undefined,
})

/** The tool `own` is used in an unsolicited turn. */
function world() {
  const written: unknown[] = []
  const session = { turnOf: (id: string) => (id === 'own' ? undefined : { id: 'turn' }) } as unknown as Session
  const ledger = {
    toolStarts: { runsWith: (row: object) => written.push({ table: 'tool_starts', ...row }) },
    reports: { toolRunsWith: (row: object) => written.push({ table: 'report_tools', ...row }) },
  }
  const secrets = { hideInText: (text: string) => text.replace('hunter2', '[redacted]') }
  return { written, inputs: new ToolInputs(session, { ledger, secrets } as never) }
}

test('an input that is another one than Iris knew is recorded once, without its secrets', () => {
  const { written, inputs } = world()
  inputs.mayRun(start('a', 'ls'))
  expect(inputs.runsWith('a', { command: 'ls' })).toBeUndefined()
  const input = { command: 'login hunter2' }
  expect(inputs.runsWith('a', input)).toMatchObject({ start: { input }, asked: 'ls', runs: 'login [redacted]' })
  expect(inputs.inputOf('a')).toEqual(input)
  expect(inputs.runsWith('a', input)).toBeUndefined()
  const inputHash = sha256(JSON.stringify(input))
  const row = { table: 'tool_starts', turn: 'turn', toolUseId: 'a', inputHash, inputShort: 'login [redacted]' }
  expect(written).toEqual([row])
})

test('a tool in a turn of Claude Code’s own is recorded with its report; an unknown or ended one is not', () => {
  const { written, inputs } = world()
  inputs.mayRun(start('own', 'ls'))
  inputs.runsWith('own', { command: 'touch a' })
  expect(written).toEqual([{ table: 'report_tools', toolUseId: 'own', inputShort: 'touch a' }])
  inputs.ends('own')
  expect([inputs.runsWith('own', {}), inputs.runsWith('never', {})]).toEqual([undefined, undefined])
  expect(written).toHaveLength(1)
})
