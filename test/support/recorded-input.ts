import { readFileSync, writeFileSync } from 'node:fs'
import type { FakeClaudeSetup } from './fake-claude.ts'

export interface RecordedInput {
  /** Instead of the fake's own: the same, and everything that is written to it is kept. */
  readonly claudePath: string
  /** The messages that all its processes were sent so far. Requests of Iris come when they come, and reach no model. */
  messageBytes(): number
}

export function recordedInput(fake: FakeClaudeSetup): RecordedInput {
  const [claudePath, record] = [fake.file('recording-claude'), fake.file('input')]
  writeFileSync(claudePath, `#!/bin/sh\ntee -a '${record}' | '${fake.claudePath}' "$@"\n`, { mode: 0o700 })
  writeFileSync(record, '')
  const messages = (): string[] =>
    readFileSync(record, 'utf8')
      .split('\n')
      .filter((line) => line.includes('"type":"user"'))
  return { claudePath, messageBytes: () => Buffer.byteLength(messages().join('\n')) }
}
