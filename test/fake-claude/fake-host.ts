import { randomUUID } from 'node:crypto'
import { mkdirSync } from 'node:fs'
import type { FakeClaudeSetup } from '../support/fake-claude.ts'
import { CliDriver, type HostAnswers } from './cli-driver.ts'

/** A host with a running fake; all hosts of one fake share their home and project. */
export function fakeHost(
  fake: FakeClaudeSetup,
  session: readonly string[] = ['--session-id', randomUUID()],
  answers: Partial<HostAnswers> = {},
  more: Readonly<Record<string, string>> = {},
): CliDriver & { readonly home: string; readonly sessionId: string } {
  const home = fake.file('home')
  const cwd = fake.file('a project')
  mkdirSync(cwd, { recursive: true })
  const env = { HOME: home, PATH: process.env['PATH'] ?? '', ...fake.env, ...more }
  return Object.assign(new CliDriver({ claudePath: fake.claudePath, session, cwd, env, answers }), {
    home,
    sessionId: session[1] ?? '',
  })
}
