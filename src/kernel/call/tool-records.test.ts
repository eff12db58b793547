import { expect, test } from 'vitest'
import type { AuditEntry } from '../../kernel/session/audit-entry.ts'
import type { Session } from '../../kernel/session/session.ts'
import { ToolRecords } from './tool-records.ts'

const bash = (command: string) => ({
  toolName: 'Bash',
  toolUseId: 'a',
  input: { command },
  within: undefined,
  unsolicited: undefined,
  transcriptPath: undefined,
})

/** Iris's rules deny inputs that contain `touch`; the mode also refuses inputs that contain `make`. */
function recording(failing = false) {
  const entries: AuditEntry[] = []
  const logged: string[] = []
  const session = { from: 'b', to: 'a', sessionId: 's', turnOf: () => ({ id: 'turn' }) } as unknown as Session
  const says = (words: RegExp) => (_: unknown, use: object) => (words.test(JSON.stringify(use)) ? 'a rule' : undefined)
  const runsWith = (): void => {
    if (failing) throw new Error('disk full')
  }
  const parts = {
    seams: {
      audit: { record: (entry: AuditEntry) => void entries.push(entry) },
      rules: { denial: says(/touch/), refusal: says(/touch|make/) },
    },
    clock: { now: () => 0 },
    ledger: { toolStarts: { runsWith } },
    secrets: { hideInText: (text: string) => text },
    log: { error: (text: string) => logged.push(text) },
  }
  const records = new ToolRecords(session, parts as never)
  return { records, entries, logged }
}

test('a tool that ran with the input that Iris knew is not audited', () => {
  const { records, entries } = recording()
  records.mayRun(bash('ls'))
  records.ran(bash('ls'))
  expect(entries).toEqual([])
})

test('an input that ran although a rule denies it is audited with that rule', () => {
  const { records, entries } = recording()
  records.mayRun(bash('ls'))
  records.ran(bash('bash -c "touch a"'))
  const detail = { toolName: 'Bash', turnId: 'turn', from: 'b', asked: 'ls', runs: 'bash -c "touch a"', why: 'a rule' }
  expect(entries).toMatchObject([{ actor: 'agent:a', action: 'tool.changed', subject: 's', detail }])
})

test('what a person changed is in the question, and is not audited a second time', () => {
  const { records, entries } = recording()
  records.mayRun(bash('ls'))
  records.isAllowed('a', { command: 'ls -la' })
  records.ran(bash('ls -la'))
  expect(entries).toEqual([])
})

test('a tool that failed before the hook is audited only if a rule denies it', () => {
  const { records, entries } = recording()
  for (const command of ['make x', 'touch a']) records.refusedByClaude({ ...bash(command), why: undefined })
  expect(entries).toMatchObject([{ action: 'tool.refused', decision: 'deny', detail: { why: 'a rule' } }])
})

test('before a tool, an input that cannot be recorded is an error; after it, a line in the log', () => {
  const { records, logged } = recording(true)
  records.mayRun(bash('ls'))
  expect(() => records.asksAbout(bash('touch a'))).toThrow('disk full')
  records.ran(bash('touch a'))
  expect(logged).toEqual(['the input with which a tool ran could not be recorded: Error: disk full'])
})
