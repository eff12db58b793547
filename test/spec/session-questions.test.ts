import { once } from 'node:events'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { ReadBuffer, serializeMessage } from '@modelcontextprotocol/sdk/shared/stdio.js'
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import { type ElicitRequest, ElicitRequestSchema, type ElicitResult } from '@modelcontextprotocol/sdk/types.js'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { CommandContext } from '../../src/app/cli/context.ts'
import type { Script } from '../../src/app/demo/script.ts'
import { statusOf } from '../../src/base/lib/process-start.ts'
import type { PermissionView } from '../../src/base/protocol/permission-view.ts'
import { runCommand as runProgram } from '../../src/program.ts'
import { eventually } from '../support/eventually.ts'
import { TestIris } from '../support/iris.ts'
import { answerPermission, asOwner } from '../support/owner.ts'
import { irisCommand } from '../support/program.ts'
import { Terminal } from '../support/terminal.ts'
import { spoken } from '../support/world.ts'

/** `run …` runs the rest as a command; `pass …` has `mobile` run it. */
const script: Script = ({ conversation: { lastUserText, step, toolResults } }) => {
  const [verb, ...rest] = spoken(lastUserText).split(' ')
  const words = rest.join(' ')
  if (step > 0) return { text: String(toolResults.at(-1)?.text) }
  if (verb === 'run') return { toolUses: [{ name: 'Bash', input: { command: words, description: 'A step' } }] }
  if (verb !== 'pass') return { text: 'heard' }
  const input = { toTeam: 'mobile', message: `run ${words}`, timeout: 0 }
  return { toolUses: [{ name: 'mcp__iris__send_message', input }] }
}

let iris: TestIris
beforeAll(async () => {
  iris = await TestIris.start({ claude: 'fake', script, teams: ['frontend', 'backend', 'mobile'] })
  await iris.daemon.recovered
})
afterAll(() => iris[Symbol.asyncDispose]())

const claude = () => join(iris.world.root, 'claude-of-the-person')
const write = (path: string, value: object): void => {
  mkdirSync(join(path, '..'), { recursive: true })
  writeFileSync(path, JSON.stringify(value))
}
/** What the person's Claude Code says of itself: this process is it. */
const sessionIs = (more: object): void =>
  write(join(claude(), 'sessions', `${process.ppid}.json`), {
    pid: process.ppid,
    kind: 'interactive',
    procStart: statusOf(process.ppid)?.[19],
    ...more,
  })
beforeEach(() => sessionIs({}))
afterEach(() => rmSync(claude(), { recursive: true, force: true }))

type Answer = ElicitResult | Error
interface Form {
  readonly params: ElicitRequest['params']
  readonly answer: (answer: Answer) => void
  readonly withdrawn: AbortSignal
}

interface ConsoleOptions {
  readonly env?: Readonly<Record<string, string>>
  readonly name?: string
}

/** `iris mcp` in this process, started by the Claude Code of a person in the project of `frontend`. */
function startBridge(env: Readonly<Record<string, string>> = {}) {
  const [stdin, stdout] = [new PassThrough(), new PassThrough()]
  const person = { CLAUDE_CONFIG_DIR: claude(), CLAUDE_CODE_ENTRYPOINT: 'cli' }
  const context = new CommandContext({
    env: { ...iris.world.env, IRIS_HOME: iris.world.home, ...person, ...env },
    cwd: iris.world.directory('frontend'),
    stdin,
    stdout,
    stderr: new PassThrough().resume(),
    parentPid: process.ppid,
    onSignal: () => () => {},
    raise: () => {},
  })
  return { stdin, stdout, ended: runProgram(['mcp'], context) }
}

/** The same with the client of the SDK. */
async function openConsole({ env, name = 'claude-code' }: ConsoleOptions = {}) {
  const { stdin, stdout, ended } = startBridge(env)
  const buffer = new ReadBuffer()
  const transport: Transport = {
    start: async () => {
      stdout.on('data', (chunk: Buffer) => {
        buffer.append(chunk)
        for (let next = buffer.readMessage(); next !== null; next = buffer.readMessage()) transport.onmessage?.(next)
      })
    },
    send: async (message) => void stdin.write(serializeMessage(message)),
    close: async () => void stdin.end(),
  }
  const forms: Form[] = []
  const client = new Client({ name, version: '1' }, { capabilities: { elicitation: { form: {} } } })
  client.setRequestHandler(ElicitRequestSchema, ({ params }, { signal }) => {
    const { promise, resolve, reject } = Promise.withResolvers<ElicitResult>()
    const answer = (given: Answer): void => (given instanceof Error ? reject(given) : resolve(given))
    forms.push({ params, answer, withdrawn: signal })
    return promise
  })
  await client.connect(transport)
  const call = async (tool: string, args: Record<string, unknown>): Promise<Record<string, unknown>> => {
    const { structuredContent } = await client.callTool({ name: tool, arguments: args })
    return structuredContent as Record<string, unknown>
  }
  return {
    forms,
    call,
    say: (message: string, more: object = {}) =>
      call('send_message', {
        toTeam: 'backend',
        message,
        thread: message.replaceAll(/\W+/g, '-'),
        timeout: 0,
        ...more,
      }),
    form: (command: string) =>
      eventually(() => forms.find(({ params }) => params.message.includes(command)), `the form of ${command}`),
    close: () => client.close(),
    [Symbol.asyncDispose]: async () => {
      await client.close()
      await ended
    },
  }
}

const asked = async (command: string): Promise<PermissionView> => {
  const { permission } = await iris.event('permission:request', (each) => each.permission.input['command'] === command)
  return permission
}
const stateOf = async (permissionId: string) => {
  const { permissions } = await asOwner(iris, 'list_permissions', { state: 'all' })
  return (permissions as PermissionView[]).find((each) => each.permissionId === permissionId)
}
const actors = (permissionId: string) =>
  iris.rows(`SELECT actor, decision FROM audit WHERE subject = '${permissionId}' AND action = 'permission.answered'`)
const chosen = (decision: string): ElicitResult => ({ action: 'accept', content: { decision } })

test('a question comes up where the person waits, says what there is to know, and is answered there as the owner', async () => {
  await using console = await openConsole()
  const said = console.say('run rm -f one.txt')
  const [question, form] = [await asked('rm -f one.txt'), await console.form('one.txt')]
  expect(form.params).toMatchObject({
    mode: 'form',
    message: [
      'May backend use Bash? Asked by frontend → backend',
      '> command: rm -f one.txt',
      'Look at: deletes files',
      `Also on the dashboard: http://127.0.0.1:${iris.port}`,
    ].join('\n'),
    requestedSchema: { properties: { decision: { description: 'description: A step' } }, required: ['decision'] },
  })
  expect(JSON.stringify(form.params)).not.toContain('"default"')
  form.answer(chosen('allow'))
  expect(await said).toMatchObject({ status: 'completed' })
  expect(await stateOf(question.permissionId)).toMatchObject({
    state: 'allowed',
    decidedBy: 'owner, in Claude Code',
    scope: 'once',
  })
  expect(actors(question.permissionId)).toEqual([{ actor: 'owner, in Claude Code', decision: 'allow' }])
  expect(form.withdrawn.aborted).toBe(false)
})

test('a chosen denial denies, and so does a form that the person declines', async () => {
  await using console = await openConsole()
  const deny = async (command: string, answer: Answer): Promise<void> => {
    const said = console.say(`run ${command}`)
    ;(await console.form(command)).answer(answer)
    await said
    const { permissionId } = await asked(command)
    expect(await stateOf(permissionId)).toMatchObject({ state: 'denied', decidedBy: 'owner, in Claude Code' })
  }
  await deny('rm -f chosen', chosen('deny'))
  await deny('rm -f declined', { action: 'decline' })
})

test('a form that is cancelled, fails or has no choice leaves the question open elsewhere, and does not come again', async () => {
  await using console = await openConsole()
  const answers: readonly Answer[] = [
    { action: 'cancel' },
    new Error('no form here'),
    { action: 'accept', content: {} },
    chosen('always'),
  ]
  const all = answers.map(async (answer, index) => {
    const said = console.say(`run rm -f open-${index}`)
    ;(await console.form(`open-${index}`)).answer(answer)
    return { said, question: await asked(`rm -f open-${index}`) }
  })
  const left = await Promise.all(all)
  // A later question shows that the bridge has read these answers.
  const next = console.say('run rm -f after')
  ;(await console.form('rm -f after')).answer(chosen('allow'))
  await next
  expect(console.forms).toHaveLength(answers.length + 1)
  for (const { said, question } of left) {
    expect(await stateOf(question.permissionId)).toMatchObject({ state: 'pending' })
    await answerPermission(iris, question, 'allow')
    expect(await said).toMatchObject({ status: 'completed' })
    expect(actors(question.permissionId)).toEqual([{ actor: 'owner', decision: 'allow' }])
  }
})

test('a client that closes denies nothing', async () => {
  const console = await openConsole()
  void console.say('run rm -f closed').catch(() => {})
  const question = await asked('rm -f closed')
  await console.form('closed')
  await console[Symbol.asyncDispose]()
  expect(await stateOf(question.permissionId)).toMatchObject({ state: 'pending' })
  await answerPermission(iris, question, 'deny')
})

test('an answer given elsewhere withdraws the form', async () => {
  await using console = await openConsole()
  const said = console.say('run rm -f elsewhere')
  const form = await console.form('elsewhere')
  await answerPermission(iris, await asked('rm -f elsewhere'), 'allow')
  await eventually(() => form.withdrawn.aborted, 'the form is withdrawn')
  expect(await said).toMatchObject({ status: 'completed' })
})

test('two questions at once each have their form', async () => {
  await using console = await openConsole()
  const said = [console.say('run rm -f left'), console.say('run rm -f right')]
  const [left, right] = [await console.form('left'), await console.form('right')]
  right.answer(chosen('deny'))
  left.answer(chosen('allow'))
  await Promise.all(said)
  expect(await stateOf((await asked('rm -f left')).permissionId)).toMatchObject({ state: 'allowed' })
  expect(await stateOf((await asked('rm -f right')).permissionId)).toMatchObject({ state: 'denied' })
})

test('the question of a team further down comes up too, and so does that of a message nobody waits for', async () => {
  await using console = await openConsole()
  const said = console.say('pass rm -f below')
  const below = await console.form('below')
  expect(below.params.message).toContain('May mobile use Bash? Asked by frontend → backend → mobile')
  const { rootTurnId, turnId } = await asked('rm -f below')
  below.answer(chosen('allow'))
  expect(await said).toMatchObject({ turnId: rootTurnId })
  expect(turnId).not.toBe(rootTurnId)
  await console.call('quick_message', { toTeam: 'backend', message: 'run rm -f later', thread: 'later' })
  const later = await console.form('rm -f later')
  later.answer(chosen('allow'))
  await iris.event('permission:resolved', ({ permission }) => permission.input['command'] === 'rm -f later')
})

const hook = (matcher?: string) => ({ hooks: { Elicitation: [{ ...(matcher && { matcher }), hooks: [] }] } })
const local = () => join(iris.world.directory('frontend'), '.claude/settings.local.json')
const saved = async (elicitation: boolean): Promise<void> => {
  iris.world.writeConfig({ settings: { elicitation } })
  await iris.event('config-reloaded')
}
const silent: readonly (readonly [string, () => void | Promise<void>, () => void | Promise<void>])[] = [
  ['that runs in the background', () => sessionIs({ kind: 'bg' }), () => sessionIs({})],
  ['whose pid was that of an earlier one', () => sessionIs({ procStart: '1' }), () => sessionIs({})],
  [
    'with a hook that answers',
    () => write(join(claude(), 'settings.json'), hook('iris|other')),
    () => write(join(claude(), 'settings.json'), hook('other')),
  ],
  ['in a project with a hook that answers', () => write(local(), hook()), () => rmSync(local())],
  ['with elicitation: false', () => saved(false), () => saved(true)],
]

test.each(silent)('nobody is asked in a session %s, and then it is as always', async (which, begin, end) => {
  await using console = await openConsole()
  await begin()
  const [first, second] = [`rm -f first-${which.length}`, `rm -f second-${which.length}`]
  const said = console.say(`run ${first}`)
  const question = await asked(first)
  // The bridge gets the question before the answer to a call that comes after it.
  await console.call('team_status', {})
  expect(console.forms).toEqual([])
  await answerPermission(iris, question, 'allow')
  await said
  await end()
  const next = console.say(`run ${second}`)
  ;(await console.form(second)).answer(chosen('allow'))
  await next
  // One that was on its way when the session opened again is withdrawn.
  const open = console.forms.filter(({ params, withdrawn }) => !params.message.includes(second) && !withdrawn.aborted)
  expect(open).toEqual([])
})

test.each<[string, ConsoleOptions]>([
  ['`claude -p`', { env: { CLAUDE_CODE_ENTRYPOINT: 'sdk-cli' } }],
  ['another client', { name: 'another' }],
])('nobody is asked by %s', async (which, options) => {
  await using console = await openConsole(options)
  const command = `rm -f nobody-${which.length}`
  const said = console.say(`run ${command}`)
  const question = await asked(command)
  await using person = await openConsole()
  const here = person.say(`run ${command}-here`)
  ;(await person.form(`${command}-here`)).answer(chosen('allow'))
  await here
  await answerPermission(iris, question, 'allow')
  await said
  expect(console.forms).toEqual([])
})

/** What Claude Code 2.1.330 asks first. */
async function discover(env: Readonly<Record<string, string>>, client: string): Promise<Record<string, unknown>> {
  const { stdin, stdout, ended } = startBridge(env)
  const about = 'io.modelcontextprotocol'
  const _meta = {
    [`${about}/protocolVersion`]: '2026-07-28',
    [`${about}/clientInfo`]: { name: client, version: '1' },
    [`${about}/clientCapabilities`]: { elicitation: { form: {}, url: {} } },
  }
  stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id: 'probe', method: 'server/discover', params: { _meta } })}\n`)
  const [chunk] = (await once(stdout, 'data')) as [Buffer]
  stdin.end()
  await ended
  return JSON.parse(chunk.toString())
}

test('Claude Code of a person falls back to the revision in which it can be asked; everybody else keeps the newest', async () => {
  const newest = { id: 'probe', result: { supportedVersions: expect.arrayContaining(['2026-07-28']) } }
  expect(await discover({}, 'claude-code')).toMatchObject({ id: 'probe', error: { code: -32_601 } })
  expect(await discover({}, 'another')).toMatchObject(newest)
  expect(await discover({ CLAUDE_CODE_ENTRYPOINT: 'sdk-cli' }, 'claude-code')).toMatchObject(newest)
  // An agent of Iris has a process tag.
  expect(await discover({ IRIS_PROCESS: 'of-an-agent' }, 'claude-code')).not.toMatchObject({ error: { code: -32_601 } })
  await saved(false)
  expect(await discover({}, 'claude-code')).toMatchObject(newest)
  await saved(true)
})

test('iris tell asks the questions of turns further down as well', async () => {
  const env = { ...iris.world.env, IRIS_HOME: iris.world.home }
  const command = `exec ${irisCommand} tell backend "pass rm -f told"`
  await using person = new Terminal(command, { cwd: iris.world.directory('frontend'), env })
  await person.shows('May mobile use Bash?')
  person.press('\r')
  await person.shows('Allowed: Bash of mobile.')
  expect(await person.exited()).toBe(0)
})
