import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { Inbox } from './inbox.ts'

/** Iris's bridge would run as a child of this process, which plays Claude Code. */
const claude = process.pid
let root: string
let close: () => void
const received: string[] = []

beforeEach(async () => {
  root = mkdtempSync(join(tmpdir(), 'iris-inbox-'))
  for (const directory of ['socks', '.claude/sessions'])
    mkdirSync(join(root, directory), { recursive: true, mode: 0o700 })
  received.length = 0
  const server = createServer((socket) => socket.on('data', (data) => received.push(String(data))).resume())
  await new Promise<void>((listening) => server.listen(path(), listening))
  chmodSync(path(), 0o600)
  close = () => server.close()
  live()
})
afterEach(() => {
  close()
  rmSync(root, { recursive: true })
})

const path = (pid = claude): string => join(root, 'socks', `${pid}.sock`)
/** Claude Code's entry of a living session. */
const live = (facts: object = {}, pid = claude): void => {
  const entry = { pid, kind: 'interactive', messagingSocketPath: path(pid), ...facts }
  writeFileSync(join(root, '.claude/sessions', `${pid}.json`), JSON.stringify(entry))
}
const inbox = (env: Readonly<Record<string, string>> = {}, parent = claude, patienceMs = 5000): Inbox | undefined =>
  Inbox.of(
    {
      HOME: root,
      CLAUDE_CODE_ENTRYPOINT: 'cli',
      CLAUDE_CODE_MESSAGING_SOCKET: path(),
      CLAUDE_CODE_MESSAGING_TOKEN: 'secret',
      ...env,
    },
    parent,
    patienceMs,
  )

test('what is pushed into the inbox of the session that started the bridge is one message, from Iris', async () => {
  expect(await inbox()?.isOpen()).toBe(true)
  await inbox()?.push('an id', 'Iris, team backend\nsecond line')
  const [auth, message] = received.join('').trimEnd().split('\n')
  expect(JSON.parse(auth!)).toEqual({ type: 'auth', token: 'secret' })
  expect(JSON.parse(message!)).toMatchObject({
    type: 'user',
    msg_id: 'an id',
    from: 'iris',
    message: { role: 'user', content: 'Iris, team backend\nsecond line' },
  })
})

test.each([
  ['of a session that did not start this bridge', () => inbox({}, 1)],
  [
    'of another session, which the variable names',
    () => {
      live({}, 1)
      symlinkSync(path(), path(1))
      return inbox({ CLAUDE_CODE_MESSAGING_SOCKET: path(1) })
    },
  ],
  ['that Claude Code does not list', () => (rmSync(join(root, '.claude/sessions', `${claude}.json`)), inbox())],
  ['that Claude Code lists elsewhere', () => (live({ messagingSocketPath: '/tmp/other.sock' }), inbox())],
  ['of a session without a person', () => (live({ kind: 'sdk' }), inbox())],
  ['in a directory that others may write', () => (chmodSync(join(root, 'socks'), 0o777), inbox())],
  ['that is a plain file', () => (rmSync(path()), writeFileSync(path(), ''), inbox())],
  ['that nobody serves any more', () => (close(), inbox())],
])('no inbox is one %s', async (_what, made) => {
  expect(await made()?.isOpen()).toBe(false)
  expect(received).toEqual([])
})

test('an inbox that is full, or has died meanwhile, holds nobody up', async () => {
  const ofFull = inbox({}, claude, 50)
  expect(await ofFull?.isOpen()).toBe(true)
  close()
  rmSync(path(), { force: true })
  const deaf = createServer({ pauseOnConnect: true })
  await new Promise<void>((listening) => deaf.listen(path(), listening))
  close = () => deaf.close()
  // More than fits into a socket that nobody reads.
  await ofFull?.push('an id', 'x'.repeat(1 << 20))
  close()
  rmSync(path(), { force: true })
  await ofFull?.push('an id', 'to nobody')
  expect(received.join('')).not.toContain('to nobody')
})

test('a program that runs Claude Code has no inbox, nor a client without the variables', () => {
  expect(inbox({ CLAUDE_CODE_ENTRYPOINT: 'sdk-cli' })).toBeUndefined()
  expect(inbox({ CLAUDE_CODE_MESSAGING_TOKEN: '' })).toBeUndefined()
  expect(inbox({ CLAUDE_CODE_MESSAGING_SOCKET: '' })).toBeUndefined()
})
