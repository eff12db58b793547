import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Script } from '../../src/app/demo/script.ts'
import { eventually } from '../support/eventually.ts'
import { consoleOf, startForConsoles } from '../support/iris-console.ts'
import { mcpClient } from '../support/mcp-clients.ts'
import { Installation } from '../support/program.ts'
import { claudeBinary } from '../support/real-claude.ts'
import type { Terminal } from '../support/terminal.ts'
import { spoken } from '../support/world.ts'

const slow = 120_000

let iris: Installation
const gate = (name: string): string => join(iris.world.root, `open-${name}`)
const open = (name: string): void => writeFileSync(gate(name), '')

/** `backend` answers a question once its gate is open, and `mobile` builds. In the console: `ask <question>`, and `run <command>`. */
const script: Script = async ({ conversation: { userTexts, lastUserText, step } }) => {
  // A daemon that was killed asks for the message again, and without its text if the conversation has it.
  const continues = lastUserText.startsWith('<iris-continuation>')
  const text = continues ? userTexts.findLast((each) => each.includes('<iris-message from='))! : lastUserText
  const message = text.indexOf('<iris-message from=')
  if (message >= 0) {
    const question = spoken(text.slice(message))
    const input = { command: 'while [ ! -e built ]; do sleep 0.05; done', run_in_background: true }
    if (question === 'build' && step === 0) return { toolUses: [{ name: 'Bash', input }] }
    await eventually(() => existsSync(gate(question)), `the gate of ${question}`)
    return { text: `The answer to ${question} is ${question.toUpperCase()}.` }
  }
  if (lastUserText.startsWith('<task-notification>')) return { text: 'The build FAILED.' }
  if (lastUserText.includes('Iris, team backend')) return { text: 'I have read it.' }
  const [verb, ...rest] = lastUserText.split(' ')
  if (step > 0 || (verb !== 'ask' && verb !== 'run')) return { text: `Done with ${rest.join('-')}.` }
  const toTeam = rest[0] === 'build' ? 'mobile' : 'backend'
  const input = { toTeam, message: rest.join(' '), thread: rest.join('-') }
  if (verb === 'ask') return { toolUses: [{ name: 'mcp__iris__quick_message', input }] }
  return { toolUses: [{ name: 'Bash', input: { command: rest.join(' '), description: 'runs' } }] }
}

beforeAll(async () => {
  // The consoles are real ones, and so is the agent that leaves a command running.
  const teams = { frontend: {}, backend: {}, mobile: { claudePath: claudeBinary('2.1.330') } }
  iris = await Installation.create({ claude: 'either', script, teams, settings: { maxSilence: 120_000 } })
  await startForConsoles(iris, ['frontend'])
})
afterAll(() => iris[Symbol.asyncDispose]())

interface LateRow {
  readonly turn: string
  readonly console: string
  readonly pushed: number
  readonly read: number
}

const late = (question: string): LateRow | undefined =>
  iris.rows(
    `SELECT turn, console, pushed_at IS NOT NULL AS pushed, read_at IS NOT NULL AS read
     FROM late_answers JOIN turns ON id = turn WHERE message = '${question}'`,
  )[0] as LateRow | undefined

const asked = async (person: Terminal, question: string): Promise<LateRow> => {
  await person.shows('❯')
  await person.type(`ask ${question}`)
  await eventually(() => late(question) !== undefined, `${question} is owed to the console`)
  await person.shows(`Done with ${question}.`)
  return late(question)!
}

const firstWords = ({ turn }: LateRow): string => `Iris, team backend, turn ${turn.slice(0, 8)}: the answer has come.`

/** In how many of its requests the model gets this answer last. */
const modelReads = (owed: LateRow): Promise<number> =>
  eventually(() => {
    const inputs = iris.world.model.requests.recent.map(({ body }) => JSON.stringify(body.messages.at(-1)))
    return inputs.filter((input) => input.includes(firstWords(owed))).length || undefined
  }, 'the model reads the answer')

test('in an idle session an answer that comes late is a message from another session, once, and starts a turn', {
  timeout: slow,
}, async () => {
  await using person = consoleOf(iris, 'frontend')
  const owed = await asked(person, 'idle')
  open('idle')
  await person.shows(firstWords(owed))
  await person.shows('The answer to idle is IDLE.')
  await person.shows('not typed by your user')
  await person.shows('I have read it.')
  expect(late('idle')).toMatchObject({ pushed: 1, read: 0 })
  expect(await modelReads(owed)).toBe(1)
})

test('what its agent says at the end of a command that the answer left running comes too, once', {
  timeout: slow,
}, async () => {
  await using person = consoleOf(iris, 'frontend')
  const owed = await asked(person, 'build')
  open('build')
  await person.shows('The answer to build is BUILD.')
  writeFileSync(join(iris.world.directory('mobile'), 'built'), '')
  // Claude Code draws only what differs from the text that stood there.
  await person.displays(
    new RegExp(`turn\\s+${owed.turn.slice(0, 8)}:\\s+a\\s+report\\s+arrived\\s+after\\s+its\\s+answer\\.`),
  )
  await person.displays('The build FAILED.')
  expect(iris.rows(`SELECT kind, read_at IS NOT NULL AS read FROM reports`)).toEqual([{ kind: 'said', read: 1 }])
})

test('in the middle of a tool it comes after that tool, and the tool runs once', {
  tags: ['thorough'],
  timeout: slow,
}, async () => {
  await using person = consoleOf(iris, 'frontend', 'Bash')
  const owed = await asked(person, 'busy')
  await person.type('run touch started; while [ ! -e tool ]; do sleep 0.1; done; echo once >> ran')
  await eventually(() => existsSync(join(iris.world.directory('frontend'), 'started')), 'the tool runs')
  open('busy')
  await eventually(() => late('busy')?.pushed === 1, 'the push')
  writeFileSync(join(iris.world.directory('frontend'), 'tool'), '')
  await person.shows(firstWords(owed))
  await modelReads(owed)
  expect(readFileSync(join(iris.world.directory('frontend'), 'ran'), 'utf8')).toBe('once\n')
})

test('with a permission question open it waits, and neither answers the question nor types into it', {
  tags: ['thorough'],
  timeout: slow,
}, async () => {
  await using person = consoleOf(iris, 'frontend')
  const owed = await asked(person, 'dialog')
  await person.type(`run touch ${gate('touched')}`)
  await person.displays('Do you want to')
  open('dialog')
  await eventually(() => late('dialog')?.pushed === 1, 'the push')
  expect(person.screen().join('\n')).toContain('Do you want to')
  expect(existsSync(gate('touched'))).toBe(false)
  // A dialog takes no key while it is redrawn: the person presses it again.
  let looks = 0
  const allowed = (): boolean => {
    if (looks++ % 100 === 0) person.press('\r')
    return existsSync(gate('touched'))
  }
  await eventually(allowed, 'the person allows it')
  await person.shows(firstWords(owed))
  await modelReads(owed)
})

test('after the daemon was killed it still comes, and a console that has gone finds it when it is resumed', {
  timeout: slow,
}, async () => {
  const owed = { console: '' }
  {
    await using person = consoleOf(iris, 'frontend')
    Object.assign(owed, await asked(person, 'restart'))
    process.kill(iris.daemon()!.pid, 'SIGKILL')
    await iris.startDaemon()
    open('restart')
    await person.shows('The answer to restart is RESTART.')
    expect(late('restart')).toMatchObject({ pushed: 1 })
    await asked(person, 'gone')
    await person.type('/exit')
    await person.exited()
  }
  open('gone')
  const ended = () => iris.rows("SELECT 1 FROM turns WHERE message = 'gone' AND outcome = 'completed'").length === 1
  await eventually(ended, 'the answer')
  expect(late('gone')).toMatchObject({ pushed: 0, read: 0, console: owed.console })
  await using person = consoleOf(iris, 'frontend', `--resume ${owed.console}`)
  await person.shows('The answer to gone is GONE.')
  expect(late('gone')).toMatchObject({ pushed: 1, read: 0 })
})

test('a session that refuses messages of others, and any other client, learns it from the next call', {
  timeout: slow,
}, async () => {
  await using other = await mcpClient(iris, '2025-11-25', { cwd: iris.world.directory('frontend') })
  await using someone = await mcpClient(iris, '2026-07-28', { cwd: iris.world.directory('frontend') })
  const first = await other.ask('backend', 'first', { timeout: -1 })
  const second = await other.ask('backend', 'second', { timeout: 1, thread: 'other' })
  const polled = await other.ask('backend', 'polled', { timeout: -1, thread: 'polled', deliver: 'poll' })
  expect([first.status, second.status, polled.status]).toEqual(['async', 'mcp_timeout', 'async'])
  expect(await other.call('get_date')).not.toHaveProperty('answersWaiting')
  for (const each of ['first', 'second', 'polled']) open(each)
  const asOther = (turnId: string) => someone.call('message_status', { turnId, timeout: 0 })
  expect(await asOther(first.turnId)).toMatchObject({ status: 'completed', unread: true })
  expect(await asOther(second.turnId)).toMatchObject({ status: 'completed', unread: true })
  expect(await asOther(polled.turnId)).not.toHaveProperty('unread')
  expect(await someone.call('get_date')).not.toHaveProperty('answersWaiting')

  const [one, two] = [first, second].map(({ turnId }) => turnId.slice(0, 8))
  const waiting = `2 answers wait. message_status collects turn ${one} (backend), ${two} (backend)`
  expect(await other.call('list_teams')).toMatchObject({ answersWaiting: waiting })
  const fetched = await other.call('message_status', { turnId: one })
  expect(fetched).toMatchObject({ response: 'The answer to first is FIRST.' })
  expect(fetched).not.toHaveProperty('unread')
  expect(fetched['answersWaiting']).toBe(`1 answer waits. message_status collects turn ${two} (backend)`)
  open('quoting')
  const quoting = await other.ask('backend', `quoting`, { idempotencyKey: `about ${two}` })
  expect(quoting).not.toHaveProperty('answersWaiting')
  expect(await asOther(second.turnId)).not.toHaveProperty('unread')
})
