import { appendFileSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { taggedProcesses } from '../../src/platform/machine/process-tag.ts'
import { ask, callTool } from '../support/call-tool.ts'
import { DaemonProcess } from '../support/daemon-process.ts'
import { effectOnce, effects } from '../support/effect-once.ts'
import { eventually } from '../support/eventually.ts'
import { TestIris } from '../support/iris.ts'
import { isElsewhere } from '../support/is-elsewhere.ts'
import { nextDaemon } from '../support/next-daemon.ts'
import { claudeBinary, contractVersions } from '../support/real-claude.ts'
import { isBrief, isNightly, isStandard } from '../support/tier.ts'
import { transcriptPath } from '../support/transcript-path.ts'
import { createWorld, tagOfIris, type World } from '../support/world.ts'

const yes = { grantPermission: 'yes', dangerous: true }
const writesOnce = effectOnce('echo done >> FILE')

describe('kill -9 of the daemon', () => {
  const isShort = isStandard || (isElsewhere && isBrief)
  test.each(isShort ? ['accepted', 'result-read'] : ['accepted', 'written', 'result-read', 'settled'])(
    'at "%s": one effect, and the answer is there afterwards',
    async (checkpoint) => {
      const backend = { ...yes, mcpServers: 'project' }
      // The double starts no servers of a project.
      const isReal = isNightly || checkpoint === 'result-read'
      const claude = isReal ? 'real' : 'fake'
      await using world = await createWorld({ claude, script: writesOnce, teams: { frontend: {}, backend } })
      const servers = { mcpServers: { shop: { command: '/nowhere/server' } } }
      writeFileSync(join(world.directory('backend'), '.mcp.json'), JSON.stringify(servers))
      await using first = await DaemonProcess.start(world, checkpoint)
      const idempotencyKey = `ask-${checkpoint}`
      await expect(ask(first, 'backend', 'write', { fromTeam: 'frontend', idempotencyKey })).rejects.toThrow(
        /fetch failed|terminated|ended without an answer/,
      )
      expect(await first.exited).toBe('SIGKILL')

      await using second = await nextDaemon(world)
      const answer = await ask(second, 'backend', 'write', { fromTeam: 'frontend', idempotencyKey })
      const detail = expect.stringContaining('without MCP servers that did not start: shop.')
      const completed = { status: 'completed', response: expect.stringMatching(/write$/) }
      expect(answer).toMatchObject(isReal ? { ...completed, detail } : completed)
      expect(effects(world)).toBe('done\n')
      const later = await callTool(second, 'message_status', { turnId: answer.turnId })
      expect(later).toMatchObject({ status: 'completed', response: answer.response })
      await second[Symbol.asyncDispose]()
      expect(await taggedProcesses(tagOfIris(world.home))).toEqual([])
    },
  )

  // On another machine the tool continues: hosts-restart.test.ts.
  test.runIf(!isElsewhere)(
    'in the middle of a Bash tool: the tool is ended, the turn goes on, nothing is left running',
    {
      tags: ['thorough'],
    },
    async () => {
      const script = effectOnce('echo done >> FILE; sleep 600')
      await using world = await createWorld({ claude: 'either', script, teams: { frontend: {}, backend: yes } })
      await using first = await DaemonProcess.start(world)
      const idempotencyKey = 'sleeper'
      const asked = ask(first, 'backend', 'write', { fromTeam: 'frontend', idempotencyKey }).catch(
        (error: unknown) => error,
      )
      await eventually(() => holdsDone(world), 'the tool has had its effect')
      await first.kill()
      expect(await asked).toBeInstanceOf(Error)

      await using second = await nextDaemon(world)
      const answer = await ask(second, 'backend', 'write', { fromTeam: 'frontend', idempotencyKey })
      expect(answer).toMatchObject({ status: 'completed', response: 'continued: write' })
      expect(effects(world)).toBe('done\n')
      await second[Symbol.asyncDispose]()
      expect(await taggedProcesses(tagOfIris(world.home))).toEqual([])
    },
  )
})

describe.each(contractVersions)('kill -9 of the daemon, Claude Code %s', (version) => {
  test.runIf(!isElsewhere)(
    'with a tool at work that hears no SIGTERM: nothing outlives it, and no other daemon is needed',
    async () => {
      const script = effectOnce(`echo done >> FILE; trap '' TERM; (setsid sleep 600 &); sleep 600`)
      const settings = { claudePath: claudeBinary(version) }
      await using world = await createWorld({ script, settings, teams: { frontend: {}, backend: yes } })
      await using daemon = await DaemonProcess.start(world)
      const asked = ask(daemon, 'backend', 'write', { fromTeam: 'frontend' }).catch((error: unknown) => error)
      await eventually(() => holdsDone(world), 'the tool has had its effect')
      await daemon.kill()
      expect(await asked).toBeInstanceOf(Error)
      await eventually(async () => (await taggedProcesses(tagOfIris(world.home))).length === 0, 'all have gone')
    },
  )
})

/** As 2.1.197 can leave it after a crash: on resuming it takes up the branch of this row, not that of the last message. */
function pointBackTo(transcript: string, toolUse: string): void {
  const rows = readFileSync(transcript, 'utf8').trim().split('\n')
  const { uuid, sessionId } = JSON.parse(rows.find((row) => row.includes(toolUse))!) as Record<string, string>
  appendFileSync(transcript, `${JSON.stringify({ type: 'last-prompt', leafUuid: uuid, sessionId })}\n`)
}

test.runIf(!isElsewhere || isNightly)(
  'a message is answered although 2.1.197 resumes a branch of the conversation without it',
  {
    tags: ['thorough'],
  },
  async () => {
    const script = effectOnce('echo done >> FILE; sleep 600', (message) => message)
    const settings = { claudePath: claudeBinary('2.1.197') }
    await using iris = await TestIris.start({ script, settings, teams: { frontend: {}, backend: yes } })
    let pid = 0
    let transcript = ''
    iris.events$.subscribe((event) => {
      if (event.type !== 'process-spawned') return
      pid = event.pid
      void eventually(() => transcriptPath(iris.world.claudeDirectory, event.sessionId), 'its transcript').then(
        (path) => {
          transcript = path
        },
      )
    })
    const interrupted = async (message: string, before = (): void => {}) => {
      const asked = ask(iris, 'backend', message, { fromTeam: 'frontend' })
      await eventually(() => holdsDone(iris.world, message), 'the tool has had its effect')
      // Claude Code writes its lines after it has sent them.
      const isOnDisk = () => transcript !== '' && readFileSync(transcript, 'utf8').includes(`echo done >> ${message}`)
      await eventually(isOnDisk, 'the tool is in the transcript')
      before()
      process.kill(pid, 'SIGKILL')
      return asked
    }
    const first = await interrupted('one')
    expect(first).toMatchObject({ status: 'completed', response: 'continued: one' })
    const second = await interrupted('two', () => pointBackTo(transcript, 'echo done >> one'))
    expect(second).toMatchObject({ status: 'completed', response: 'continued: two' })
  },
)

describe('kill -9 of the CLI', () => {
  test('in the middle of a Bash tool: one effect, the turn is continued by itself', async () => {
    const script = effectOnce('echo done >> FILE; sleep 600')
    await using iris = await TestIris.start({ script, teams: { frontend: {}, backend: yes } })
    const asked = ask(iris, 'backend', 'write', { fromTeam: 'frontend' })
    const { pid } = await iris.event('process-spawned')
    await eventually(() => holdsDone(iris.world), 'the tool has had its effect')
    process.kill(pid, 'SIGKILL')
    expect(await asked).toMatchObject({ status: 'completed', response: 'continued: write' })
    expect(effects(iris.world)).toBe('done\n')
  })

  test('four times at the very instant of an effect: one effect each', async () => {
    const script = effectOnce('echo done >> FILE && kill -9 $PPID', (message) => `effects-${message}.txt`)
    await using iris = await TestIris.start({
      claude: 'either',
      script,
      teams: { frontend: {}, backend: yes },
      settings: { maxProcesses: 4 },
    })
    const names = Array.from({ length: 4 }, (_, index) => `n${index}`)
    const answers = await Promise.all(
      names.map((name) => ask(iris, 'backend', name, { fromTeam: 'frontend', thread: name })),
    )
    expect(answers.map(({ response }) => response)).toEqual(names.map((name) => `continued: ${name}`))
    expect(names.map((name) => effects(iris.world, `effects-${name}.txt`))).toEqual(names.map(() => 'done\n'))
  })

  test('with onInterrupted "report" the turn is in doubt and says which tool', { tags: ['thorough'] }, async () => {
    const script = effectOnce('echo done >> FILE && kill -9 $PPID')
    await using iris = await TestIris.start({
      claude: 'either',
      script,
      teams: { frontend: {}, backend: { ...yes, onInterrupted: 'report' } },
    })
    const answer = await ask(iris, 'backend', 'write', { fromTeam: 'frontend' })
    expect(answer).toMatchObject({ status: 'in_doubt', reason: 'interrupted', detail: expect.stringContaining('Bash') })
    expect(answer).not.toHaveProperty('response')
    expect(effects(iris.world)).toBe('done\n')
  })
})

function holdsDone(world: World, file?: string): boolean {
  try {
    return effects(world, file).includes('done')
  } catch {
    return false
  }
}
