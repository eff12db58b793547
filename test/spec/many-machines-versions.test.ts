import { cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, expect, test } from 'vitest'
import { callTool } from '../support/call-tool.ts'
import { DaemonProcess } from '../support/daemon-process.ts'
import { fakeClaude } from '../support/fake-claude.ts'
import { offersTo } from '../support/joined-iris.ts'
import { NatsServer } from '../support/nats.ts'
import { scratchDirectory } from '../support/scratch.ts'
import { createWorld } from '../support/world.ts'

let ends: AsyncDisposableStack
afterEach(() => ends.disposeAsync())

const checkout = fileURLToPath(new URL('../..', import.meta.url))

/** Changes of a file: each text that must be there, and the one in its place. */
type Changes = Readonly<Record<string, readonly (readonly [string, string])[]>>

/** A later Iris says more than this one, in its entry in the directory and in each letter. */
const saysMore: Changes = {
  'src/base/protocol/version.ts': [["'0.1.0'", "'9.0.0'"]],
  'src/features/cluster/announcer.ts': [['wire: firstWithKnown,', "wire: firstWithKnown, mood: 'good',"]],
  'src/features/cluster/ask-letter.ts': [['from: pair.from,', 'mood: { good: true }, from: pair.from,']],
  'src/features/cluster/incoming.ts': [
    ['JSON.stringify({ ...awaited,', "JSON.stringify({ mood: 'good', ...awaited,"],
    ['text: JSON.stringify(end) }', "text: JSON.stringify({ ...end, mood: 'good' }) }"],
  ],
}
/** An Iris whose letters mean something else. */
const meansOther: Changes = {
  'src/features/cluster/letters.ts': [
    ['wireVersion = 3', 'wireVersion = 9'],
    ['wireWithFiles = 2', 'wireWithFiles = 9'],
    ['wireWithoutFiles = 1', 'wireWithoutFiles = 9'],
  ],
}
/** An Iris that signs neither what it announces nor lines of running turns. */
const signsNothing: Changes = {
  'src/features/cluster/announcer.ts': [
    [
      'signJson(JSON.stringify(entry), aboutEntry(to.self), to.seal)',
      'JSON.stringify({ ...entry, wire: 2, count: undefined })',
    ],
  ],
  'src/features/cluster/cluster.ts': [['signJson(text, aboutLine(self!, to), seal)', 'text']],
}
/** An Iris that knows no files of other hosts. */
const takesNoFiles: Changes = { 'src/features/cluster/letters.ts': [['wireVersion = 3', 'wireVersion = 1']] }

/** A build of Iris with these changes, in its own place. */
function build(...changes: readonly Changes[]): string {
  const { path } = ends.use(scratchDirectory())
  mkdirSync(join(path, 'test/support'), { recursive: true })
  for (const part of ['src', 'package.json', 'test/support/crashing-daemon.ts', 'test/support/die-at-write.ts'])
    cpSync(join(checkout, part), join(path, part), { recursive: true })
  symlinkSync(join(checkout, 'node_modules'), join(path, 'node_modules'))
  for (const [file, edits] of changes.flatMap((each) => Object.entries(each))) {
    const texts = edits.reduce(
      (text, [before, after]) => {
        expect(text).toContain(before)
        return text.replace(before, after)
      },
      readFileSync(join(path, file), 'utf8'),
    )
    writeFileSync(join(path, file), texts)
  }
  return path
}

test('hosts of two builds live together: unknown fields pass, and what is too new is refused with the reason', async () => {
  ends = new AsyncDisposableStack()
  const server = ends.use(await NatsServer.start())
  const claude = ends.use(fakeClaude({ script: { rules: [{ steps: [{ text: 'The answer.' }] }] } }))
  const start = async (name: string, team: string, from?: string): Promise<DaemonProcess> => {
    const settings = { claudePath: claude.claudePath }
    const cluster = { servers: server.url, name }
    const world = ends.use(await createWorld({ teams: [team], cluster, settings, env: claude.env }))
    return ends.use(await DaemonProcess.start(world, 'none', '', [], from))
  }
  const now = await start('now', 'present')
  const later = await start('later', 'future', build(saysMore))
  const farLater = await start('far', 'distance', build(saysMore, meansOther))
  const ask = async (from: DaemonProcess, toTeam: string, more: object = {}) => {
    await offersTo(from, toTeam)
    return callTool(from, 'send_message', { toTeam, message: 'Hello', timeout: 0, ...more })
  }
  const answered = { status: 'completed', response: 'The answer.' }
  expect(await ask(now, 'future@later')).toMatchObject(answered)
  expect(await ask(later, 'present@now')).toMatchObject(answered)
  // A later host knows what an earlier one means.
  expect(await ask(now, 'distance@far')).toMatchObject(answered)
  expect(await ask(farLater, 'present@now')).toMatchObject({
    status: 'failed',
    reason: 'refused',
    detail: expect.stringContaining('now runs an older Iris, which does not read this message (9)'),
  })
  await start('earlier', 'past', build(takesNoFiles, signsNothing))
  const attachments = [{ name: 'notes.txt', data: Buffer.from('notes').toString('base64') }]
  expect(await ask(now, 'past@earlier')).toMatchObject(answered)
  // It would answer without having seen the file.
  expect(await ask(now, 'past@earlier', { attachments })).toMatchObject({
    status: 'failed',
    detail: expect.stringContaining('earlier runs an older Iris, which does not read this message (2)'),
  })
})
