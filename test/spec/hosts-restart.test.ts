import { existsSync, readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { heldText, type Script } from '../../src/app/demo/script.ts'
import { callTool } from '../support/call-tool.ts'
import { DaemonProcess } from '../support/daemon-process.ts'
import { eventually } from '../support/eventually.ts'
import { type FakeClaudeSetup, fakeClaude } from '../support/fake-claude.ts'
import { type NextDaemon, nextDaemon } from '../support/next-daemon.ts'
import { envOf, loginOf } from '../support/remote-world.ts'
import { type SshHost, startSshHost } from '../support/ssh-host.ts'
import { createWorld, spoken, type World } from '../support/world.ts'

/** A message that begins with `gated` is not answered before this file is there. `isAwaited`: the model was asked it. */
const gate = { file: '', isAwaited: false }

const gateOpens = () => eventually(() => existsSync(gate.file), 'the gate opens')

/** `run <command>` uses Bash, `;;` parts one tool use from the next; `ask <team> <message>` asks that team; all else is repeated. */
const script: Script = async ({ conversation: { lastUserText, step, toolResults } }) => {
  const said = spoken(lastUserText).replace(/^gated /, '')
  if (said !== spoken(lastUserText)) gate.isAwaited = true
  if (said !== spoken(lastUserText)) await gateOpens()
  const [verb, toTeam, ...message] = said.split(' ')
  if (said === 'talk') return { stream: heldText('well', gateOpens(), ' said.') }
  if (verb === 'ask' && step === 0)
    return {
      toolUses: [{ name: 'mcp__iris__send_message', input: { toTeam, message: message.join(' '), timeout: 0 } }],
    }
  const command = verb === 'run' ? said.slice(4).split(';;')[step] : undefined
  if (command !== undefined) return { toolUses: [{ name: 'Bash', input: { command } }] }
  return { text: step === 0 ? `You said: ${said}` : `It said: ${toolResults.at(-1)?.text ?? ''}` }
}
const untilGo = 'until [ -e go ]; do sleep 0.1; done'
const wentOn = 'Interrupted message continues in its process'

let world: World
let host: SshHost
let path: string
/** What Iris does over ssh, it does with the double as with the real one, which the first test asks. */
let fake: FakeClaudeSetup
beforeAll(async () => {
  world = await createWorld({ claude: 'fake', script })
  host = await startSshHost()
  path = realpathSync(host.directory('backend'))
  fake = fakeClaude({ followsModel: true })
  host.writeProfile({ ...loginOf(world.model.url), ...envOf(fake) })
  gate.file = join(path, 'gate')
})
beforeEach(() => {
  gate.isAwaited = false
  for (const name of ['effects', 'second', 'go', 'gate', 'pid']) rmSync(join(path, name), { force: true })
})
afterAll(async () => {
  await host[Symbol.asyncDispose]()
  await world[Symbol.asyncDispose]()
  fake[Symbol.dispose]()
})

/** The first daemon, which has been given the message. */
async function asked(grantPermission: 'yes' | 'ask', message: string, claude: 'real' | 'fake' = 'fake') {
  const own = claude === 'fake' && { claudePath: fake.claudePath }
  const backend = { remote: host.remote, path, grantPermission, dangerous: true, ...own }
  const frontend = { grantPermission: 'yes', dangerous: true }
  world.writeConfig({ teams: { frontend, backend } })
  const first = await DaemonProcess.start(world)
  const call = { toTeam: 'backend', message, timeout: -1 }
  const { turnId } = (await callTool(first, 'send_message', call)) as { turnId: string }
  return { first, turnId }
}

const textOf = (file: string): string => (existsSync(file) ? readFileSync(file, 'utf8') : '')
const left = (name: string): string => textOf(join(path, name))

async function pidOf(daemon: DaemonProcess): Promise<number> {
  const { teams } = (await callTool(daemon, 'team_status', { team: 'backend' })) as {
    teams: { sessions: { pid?: number }[] }[]
  }
  return teams[0]!.sessions[0]!.pid!
}

/** As the owner's terminal does it. */
const asOwner = (daemon: NextDaemon, name: string, input: object) =>
  callTool({ port: daemon.port, token: daemon.owner }, name, input)
const logOf = async (daemon: NextDaemon): Promise<string> => JSON.stringify(await asOwner(daemon, 'get_logs', {}))

async function questionOf(daemon: NextDaemon) {
  const pending = async () =>
    (await asOwner(daemon, 'list_permissions', { state: 'pending' }))['permissions'] as {
      permissionId: string
      deadline: number
    }[]
  return eventually(async () => (await pending())[0], 'somebody asks')
}

test('a daemon that is killed in the middle of a tool: the next one goes on in the same process, each tool once', async () => {
  const { first, turnId } = await asked(
    'yes',
    `run echo effect >> effects; ${untilGo};;echo effect >> second; echo done`,
    'real',
  )
  await eventually(() => left('effects') === 'effect\n', 'the tool runs')
  const pid = await pidOf(first)
  await first.kill()
  writeFileSync(join(path, 'go'), '')

  await using second = await nextDaemon(world)
  const status = await callTool(second, 'message_status', { turnId, timeout: 60_000 })
  expect(status).toMatchObject({ status: 'completed', response: 'It said: done' })
  expect([left('effects'), left('second')]).toEqual(['effect\n', 'effect\n'])
  expect(await logOf(second)).toContain(wentOn)
  await eventually(() => !existsSync(`/proc/${pid}`), 'a process that another Iris has started is not kept')
  const next = await callTool(second, 'send_message', { toTeam: 'backend', message: 'next' })
  expect(next).toMatchObject({ response: 'You said: next' })
})

test('a message that joined the running one before the daemon was killed is answered all the same', {
  tags: ['thorough'],
}, async () => {
  const { first, turnId } = await asked('yes', 'talk')
  await using _ = first
  const words = async () => (await callTool(first, 'message_status', { turnId }))['partialResponse'] === 'well'
  await eventually(words, 'its first words')
  const joining = { toTeam: 'backend', message: 'And the rest?', whenBusy: 'steer' }
  expect(await callTool(first, 'quick_message', joining)).toMatchObject({ turnId })
  await first.kill()

  await using second = await DaemonProcess.start({ ...world, env: { ...world.env, IRIS_LOG: 'info' } })
  await eventually(() => second.log.includes(wentOn), 'the next one goes on')
  writeFileSync(gate.file, '')
  const status = await callTool(second, 'message_status', { turnId, timeout: 60_000 })
  expect(status).toMatchObject({ status: 'completed', response: expect.stringContaining('And the rest?') })
})

test('a permission question that is open when the daemon is killed stays open, until the same deadline', {
  tags: ['thorough'],
}, async () => {
  const { first, turnId } = await asked('ask', 'run echo effect >> effects')
  const before = await questionOf(first)
  await first.kill()

  await using second = await nextDaemon(world)
  const after = await questionOf(second)
  expect(after).toMatchObject({ permissionId: before.permissionId, deadline: before.deadline })
  expect(left('effects')).toBe('')
  await asOwner(second, 'answer_permission', { permissionId: after.permissionId, decision: 'allow' })
  const status = await callTool(second, 'message_status', { turnId, timeout: 60_000 })
  expect(status).toMatchObject({ status: 'completed' })
  expect(left('effects')).toBe('effect\n')
  expect(await logOf(second)).toContain(wentOn)
})

test('a daemon that is killed while an agent there asks another team: that team is asked once', {
  tags: ['thorough'],
}, async () => {
  const effects = join(world.directory('frontend'), 'effects')
  const { first, turnId } = await asked('yes', `ask frontend run echo effect >> effects; ${untilGo}`)
  await eventually(() => textOf(effects) === 'effect\n', 'it runs')
  await first.kill()
  writeFileSync(join(world.directory('frontend'), 'go'), '')

  await using second = await nextDaemon(world)
  const status = await callTool(second, 'message_status', { turnId, timeout: 60_000 })
  expect(status).toMatchObject({ status: 'completed' })
  expect(await logOf(second)).toContain(wentOn)
  const { turns } = (await asOwner(second, 'list_turns', { team: 'frontend' })) as { turns: unknown[] }
  expect(turns).toHaveLength(1)
})

/** A file of the run that lives there. */
function ofRun(name: string): string {
  const runs = join(host.home, '.cache/iris/runs')
  const isAlive = (run: string): boolean =>
    existsSync(`/proc/${textOf(join(runs, run, 'pid')).split(' ')[0] || 'none'}`)
  const run = existsSync(runs) ? readdirSync(runs).find(isAlive) : undefined
  return textOf(join(runs, run ?? 'none', name))
}
const hookIsOpen = (): boolean => ofRun('out').includes('"hook_callback"')

async function toolRanOnce(second: NextDaemon, turnId: string): Promise<void> {
  writeFileSync(join(path, 'go'), '')
  const status = await callTool(second, 'message_status', { turnId, timeout: 60_000 })
  expect(status).toMatchObject({ status: 'completed', response: 'It said: done' })
  expect(left('effects')).toBe('effect\n')
  expect(await logOf(second)).toContain(wentOn)
  expect(toolStarts(turnId)).toBe(1)
}

function toolStarts(turnId: string): unknown {
  using database = new DatabaseSync(join(world.home, 'data/team-sessions.db'), { readOnly: true })
  const row = database.prepare('SELECT count(*) AS starts FROM tool_starts WHERE turn = ?').get(turnId)
  return row?.['starts']
}

const oneEffect = `gated run echo effect >> effects; ${untilGo}; echo done`

test('a tool about to start of which the daemon has not heard when it is killed: the next one commits its start, and it runs once', {
  tags: ['thorough'],
}, async () => {
  const { first, turnId } = await asked('yes', oneEffect)
  await using _ = first
  await eventually(() => gate.isAwaited, 'the agent there works on the message')
  await host.vanish()
  writeFileSync(gate.file, '')
  await eventually(hookIsOpen, 'the agent waits for the fence')
  await first.kill()
  expect([left('effects'), toolStarts(turnId)]).toEqual(['', 0])

  await host.restart([])
  await using second = await nextDaemon(world)
  await toolRanOnce(second, turnId)
})

test('a tool whose start is committed and not acknowledged when the daemon is killed: the next one acknowledges it, and it runs once', {
  tags: ['thorough'],
}, async () => {
  const { first, turnId } = await asked('yes', oneEffect)
  await using _ = first
  await eventually(() => gate.isAwaited, 'the agent there works on the message')
  // From now on the host takes nothing of Iris's; what it says still comes.
  const attached = Number(ofRun('attached').split(' ')[0])
  process.kill(attached, 'SIGSTOP')
  writeFileSync(gate.file, '')
  await eventually(() => toolStarts(turnId) === 1, 'the start is committed')
  await first.kill()
  process.kill(attached, 'SIGKILL')
  expect(left('effects')).toBe('')

  await using second = await nextDaemon(world)
  await toolRanOnce(second, turnId)
})

test.each(['killed', 'stopped'] as const)(
  'what a tool left there without its environment ends when the daemon is %s',
  { tags: ['thorough'] },
  async (end) => {
    const command = `env -i setsid sh -c 'echo $$ >${join(path, 'pid')}; exec sleep 1000' >/dev/null 2>&1 &`
    const { first } = await asked('yes', `run ${command}`)
    await using _ = first
    const pid = await eventually(() => Number(left('pid')) || undefined, 'it runs')
    expect(existsSync(`/proc/${pid}`)).toBe(true)
    await (end === 'killed' ? first.kill() : first[Symbol.asyncDispose]())
    if (end === 'killed') {
      await using second = await nextDaemon(world)
      await callTool(second, 'send_message', { toTeam: 'backend', message: 'next' })
    }
    await eventually(() => !existsSync(`/proc/${pid}`), 'it ends')
  },
)

test('a daemon that is stopped before it has anything to do there ends what a killed one left there', {
  tags: ['thorough'],
}, async () => {
  const { first, turnId } = await asked('yes', 'hello')
  await using _ = first
  expect(await callTool(first, 'message_status', { turnId, timeout: 60_000 })).toMatchObject({ status: 'completed' })
  const pid = await pidOf(first)
  await first.kill()
  expect(existsSync(`/proc/${pid}`)).toBe(true)

  // On a busy machine a stop does not wait long enough; the next daemon knows of it too.
  for (let daemons = 0; daemons < 4 && existsSync(`/proc/${pid}`); daemons += 1) {
    const next = await DaemonProcess.start(world)
    await next[Symbol.asyncDispose]()
  }
  expect(existsSync(`/proc/${pid}`)).toBe(false)
})

test('a daemon that is stopped as with a laptop that is asleep, and goes on: the tool has run once, the answer comes', {
  tags: ['thorough'],
}, async () => {
  const { first, turnId } = await asked(
    'yes',
    `run echo effect >> effects; ${untilGo}; echo over >> effects; echo done`,
  )
  await using daemon = first
  await eventually(() => left('effects') === 'effect\n', 'the tool runs')
  process.kill(daemon.pid, 'SIGSTOP')
  host.cut()
  writeFileSync(join(path, 'go'), '')
  await eventually(() => left('effects') === 'effect\nover\n', 'the tool ends meanwhile')
  process.kill(daemon.pid, 'SIGCONT')
  const status = await callTool(daemon, 'message_status', { turnId, timeout: 60_000 })
  expect(status).toMatchObject({ status: 'completed', response: 'It said: done' })
  expect(left('effects')).toBe('effect\nover\n')
})
