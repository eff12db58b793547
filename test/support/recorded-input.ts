import { statSync, writeFileSync } from 'node:fs'
import type { FakeClaudeSetup } from './fake-claude.ts'

export interface RecordedInput {
  /** Instead of the fake's own: the same, and everything that is written to it is kept. */
  readonly claudePath: string
  /** What all its processes were sent so far. */
  bytes(): number
}

export function recordedInput(fake: FakeClaudeSetup): RecordedInput {
  const [claudePath, record] = [fake.file('recording-claude'), fake.file('input')]
  writeFileSync(claudePath, `#!/bin/sh\ntee -a '${record}' | '${fake.claudePath}' "$@"\n`, { mode: 0o700 })
  writeFileSync(record, '')
  return { claudePath, bytes: () => statSync(record).size }
}
