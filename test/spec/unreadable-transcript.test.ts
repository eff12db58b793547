import { execFileSync } from 'node:child_process'
import { chmodSync, globSync, mkdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { TurnResult } from '../../src/base/protocol/turn.ts'
import { ask, callTool } from '../support/call-tool.ts'
import { DaemonProcess } from '../support/daemon-process.ts'
import { eventually } from '../support/eventually.ts'
import { fakeClaude, type Script } from '../support/fake-claude.ts'
import { deliveredUuids } from '../support/oracle.ts'
import { Stage } from '../support/stage.ts'
import { isBrief } from '../support/tier.ts'
import { createWorld } from '../support/world.ts'

const fromTeam = 'frontend'

/** What becomes of a transcript, and how the reason names it. The tests may run as root, who may read everything. */
const troubles: readonly (readonly [string, (file: string) => void, RegExp])[] = [
  [
    'is a directory',
    (file) => {
      rmSync(file)
      mkdirSync(file)
    },
    /not a plain file/,
  ],
  [
    'is a named pipe',
    (file) => {
      rmSync(file)
      execFileSync('mkfifo', [file])
    },
    /not a plain file/,
  ],
  [
    'is a link',
    (file) => {
      renameSync(file, `${file}.elsewhere`)
      symlinkSync(`${file}.elsewhere`, file)
    },
    /is a link/,
  ],
  [
    'holds garbage',
    (file) => writeFileSync(file, Buffer.alloc(5000, '\0garbage\n')),
    /lines that Claude Code did not write/,
  ],
]

/** Cuts off a second message of a pair, does something to the transcript while Iris is down, and starts it again. */
async function cutOff(stage: Stage, message: string, damage: (file: string) => void) {
  const { iris } = stage
  const one = await ask(iris, 'backend', 'one', { fromTeam })
  const file = await transcriptIn(iris.world.claudeDirectory, one.sessionId)
  const asked = callTool(iris, 'quick_message', { toTeam: 'backend', message, fromTeam })
  const { turnId } = (await asked) as unknown as TurnResult
  await iris.event('turn-delivered', (event) => event.turnId === turnId)
  if (message === 'tool') await eventually(() => iris.rows('SELECT 1 FROM tool_starts').length === 1, 'the tool')
  await iris.daemon.stop(0)
  // As if its process had died before it wrote a word; the second name goes too.
  rmSync(join(iris.world.home, 'data/transcripts'), { recursive: true, force: true })
  damage(file)
  await iris.restart()
  return { one, turnId, file }
}

const scriptOf = (file: (name: string) => string): Script => ({
  rules: [
    { when: 'one', steps: [{ text: 'yes' }] },
    { when: 'tool', steps: [{ tool: { name: 'Bash', during: [{ waitForFile: file('gate') }] } }, { text: 'x' }] },
    { steps: [{ partial: 'hm' }, { waitForFile: file('gate') }, { text: 'again' }] },
  ],
})

function stage(): Promise<Stage> {
  return Stage.start({ script: scriptOf })
}

/** It is written a little after the answer. */
function transcriptIn(claudeDirectory: string, sessionId: string): Promise<string> {
  const projects = join(claudeDirectory, 'projects')
  return eventually(() => {
    const [name] = globSync(`*/${sessionId}.jsonl`, { cwd: projects })
    return name !== undefined && readFileSync(join(projects, name), 'utf8').includes('yes') && join(projects, name)
  }, 'the transcript')
}

describe('a message that was cut off, and whose transcript', () => {
  test.each(troubles)(
    '%s is not given to Claude again, and ends with the reason and the remedy',
    async (_, damage, why) => {
      await using a = await stage()
      const { turnId, file } = await cutOff(a, 'slow', damage)
      a.fake.open('gate')
      const end = await a.status(turnId, 0)
      expect(end).toMatchObject({ status: 'failed', reason: 'transcript_unreadable' })
      expect(end.detail).toMatch(why)
      expect(end.detail).toContain('does not send it to Claude again')
      expect(end.detail).toContain('session_reboot')
      expect(end.detail).not.toContain(dirname(file))
      expect(deliveredUuids(a.fake.oracle()).filter((uuid) => uuid === turnId)).toHaveLength(1)
    },
  )

  test('cannot be read is in doubt when a tool had started, which is named', async () => {
    await using a = await stage()
    const { turnId } = await cutOff(a, 'tool', troubles[0]![1])
    a.fake.open('gate')
    const end = await a.status(turnId, 0)
    expect(end).toMatchObject({ status: 'in_doubt', reason: 'transcript_unreadable' })
    expect(end.detail).toContain('Bash')
    expect(deliveredUuids(a.fake.oracle()).filter((uuid) => uuid === turnId)).toHaveLength(1)
  })
})

/** Rights count for root too. */
const withoutOverride =
  process.geteuid!() === 0 ? ['setpriv', '--bounding-set=-dac_override,-dac_read_search', '--'] : []

const places = [
  ['the transcript', (file: string) => file],
  ['its directory', dirname],
] as const

test.each(isBrief ? places.slice(0, 1) : places)(
  'where rights take %s away the message ends, and the conversation goes on when it can be read again',
  async (_, what) => {
    using fake = fakeClaude({ script: scriptOf })
    await using world = await createWorld({ settings: { claudePath: fake.claudePath, env: { ...fake.env } } })
    await using first = await DaemonProcess.start(world, 'none', '', withoutOverride)
    const one = await ask(first, 'backend', 'one', { fromTeam })
    const file = await transcriptIn(world.claudeDirectory, one.sessionId)
    const { turnId } = await callTool(first, 'quick_message', { toTeam: 'backend', message: 'slow', fromTeam })
    await eventually(() => deliveredUuids(fake.oracle()).includes(String(turnId)), 'it is given to Claude')
    await first.kill()
    rmSync(join(world.home, 'data/transcripts'), { recursive: true, force: true })
    chmodSync(what(file), 0)
    try {
      await using second = await DaemonProcess.start(world, 'none', '', withoutOverride)
      const unreadable = { status: 'failed', reason: 'transcript_unreadable' }
      const detail = expect.stringContaining('EACCES')
      expect(await callTool(second, 'message_status', { turnId, timeout: 0 })).toMatchObject({ ...unreadable, detail })
      expect(await ask(second, 'backend', 'more', { fromTeam })).toMatchObject({
        ...unreadable,
        detail,
        sessionId: one.sessionId,
      })
      chmodSync(what(file), 0o700)
      fake.open('gate')
      const more = await ask(second, 'backend', 'more', { fromTeam })
      expect(more).toMatchObject({ status: 'completed', sessionId: one.sessionId })
      expect(deliveredUuids(fake.oracle())).toEqual([one.turnId, turnId, more.turnId])
    } finally {
      chmodSync(what(file), 0o700)
    }
  },
)
