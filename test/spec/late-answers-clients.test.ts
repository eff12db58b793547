import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Script } from '../../src/app/demo/script.ts'
import { ask, callTool } from '../support/call-tool.ts'
import { eventually } from '../support/eventually.ts'
import { consoleOf, startForConsoles } from '../support/iris-console.ts'
import { Installation } from '../support/program.ts'
import type { Terminal } from '../support/terminal.ts'
import { spoken } from '../support/world.ts'

const slow = 120_000
let iris: Installation
const gate = (name: string): string => join(iris.world.root, `open-${name}`)
const open = (name: string): void => writeFileSync(gate(name), '')

/** `backend` answers once its gate is open. In a console: `ask <question>`. Asked by a team, a console answers it. */
const script: Script = async ({ body, conversation: { lastUserText, step, toolResults } }) => {
  const [, turn] = /inReplyTo "([0-9a-f-]+)"/.exec(lastUserText) ?? []
  if (turn !== undefined && step > 0) return { text: 'I have answered.' }
  if (turn !== undefined) {
    const input = { toTeam: 'external', inReplyTo: turn, message: 'From the open session.' }
    return { toolUses: [{ name: 'mcp__iris__send_message', input }] }
  }
  const message = lastUserText.indexOf('<iris-message from=')
  if (message >= 0) {
    const question = spoken(lastUserText.slice(message))
    await eventually(() => existsSync(gate(question)), `the gate of ${question}`)
    return { text: `The answer to ${question}.` }
  }
  if (lastUserText.includes('Iris, team ')) return { text: 'I have read it.' }
  const [verb, question = ''] = lastUserText.split(' ')
  const isThere = JSON.stringify(body.tools ?? []).includes('mcp__iris__quick_message')
  if (verb === 'tools') return { text: `Look ${question}: Iris is ${isThere ? '' : 'not '}there.` }
  if (verb !== 'ask' || step > 0) return { text: `Done with ${question}. ${toolResults.at(-1)?.text ?? ''}` }
  const input = { toTeam: 'backend', message: question, thread: question }
  return { toolUses: [{ name: 'mcp__iris__quick_message', input }] }
}

beforeAll(async () => {
  const teams = { backend: { live: 'yes' }, frontend: {}, mobile: { live: 'ask' } }
  // The consoles are real ones.
  iris = await Installation.create({ claude: 'either', script, teams, settings: { maxSilence: 120_000 } })
  await startForConsoles(iris, Object.keys(teams))
})
afterAll(() => iris[Symbol.asyncDispose]())

const refusing = `--settings '{"crossSessionInbound":"refuse"}'`

/** Asks in a console, and waits until the answer has come and the console has not asked for it. */
const answeredLate = async (person: Terminal, question: string): Promise<void> => {
  await person.shows('❯')
  await person.type(`ask ${question}`)
  await person.shows(`Done with ${question}.`)
  open(question)
  const ended = () =>
    iris.rows(`SELECT 1 FROM turns WHERE message = '${question}' AND outcome = 'completed'`).length === 1
  await eventually(ended, `the answer to ${question}`)
}

test('with crossSessionInbound: refuse an answer starts no turn, and the next call says that it waits', {
  tags: ['thorough'],
  timeout: slow,
}, async () => {
  await using person = consoleOf(iris, 'frontend', refusing)
  await answeredLate(person, 'refusing')
  await person.type('ask refusing-next')
  await person.shows('1 answer waits. message_status collects turn')
  const asked = iris.world.model.requests.recent.map(({ body }) => JSON.stringify(body.messages.at(-1)))
  expect(asked.filter((text) => text.includes('<iris-answer') && text.includes('refusing'))).toEqual([])
  open('refusing-next')
})

test('half-typed input stays in the line while an answer comes, and is sent as it was typed', {
  timeout: slow,
}, async () => {
  await using person = consoleOf(iris, 'frontend')
  await person.shows('❯')
  await person.type('ask typing')
  await person.shows('Done with typing.')
  person.press('say half')
  await person.displays(/❯\s+say half/)
  open('typing')
  await person.shows('The answer to typing.')
  await person.shows('I have read it.')
  await person.displays(/❯\s+say half/)
  person.press('-typed')
  await person.displays(/❯\s+say half-typed/)
  person.press('\r')
  await person.shows('Done with half-typed.')
  const read = iris.world.model.requests.recent.map(({ body }) => JSON.stringify(body.messages.at(-1)))
  expect(read.some((text) => text.includes('say half-typed'))).toBe(true)
})

const endpoint = () => ({ port: iris.daemon()!.port, token: iris.world.token() })
/** Sends it to the open session of a team, once that is there. */
const sendLive = (toTeam: string, message: string) =>
  eventually(async () => {
    const answer = await callTool(endpoint(), 'quick_message', { toTeam, message, deliver: 'live' })
    return 'error' in answer ? undefined : String(answer['turnId'])
  }, `the session of ${toTeam} is open`)
const endOf = (turnId: string) => callTool(endpoint(), 'message_status', { turnId, timeout: 0 })

test('with live: ask a console shows who waits, and the words once the person lets them in, or never', {
  timeout: slow,
}, async () => {
  await using person = consoleOf(iris, 'mobile')
  await person.shows('❯')
  const turn = await sendLive('mobile', 'Words-to-let-in.')
  await person.shows(`iris promote ${turn.slice(0, 8)}`)
  expect(person.printed).not.toContain('Words-to-let-in.')
  expect(await iris.run(['promote', turn.slice(0, 8)])).toMatchObject({ code: 0 })
  await person.shows('Words-to-let-in.')
  expect(await endOf(turn)).toMatchObject({ status: 'completed', response: 'From the open session.' })
  const refused = await sendLive('mobile', 'Words-to-refuse.')
  await person.shows(`iris cancel ${refused.slice(0, 8)}`)
  expect(await iris.run(['cancel', refused.slice(0, 8)])).toMatchObject({ code: 0 })
  expect(await endOf(refused)).toMatchObject({ status: 'cancelled' })
  open('finding')
  const { turnId } = await ask(endpoint(), 'backend', 'finding')
  expect(await iris.run(['promote', turnId.slice(0, 8), '--team', 'mobile'])).toMatchObject({ code: 0 })
  // Claude Code draws only what differs from the text that stood there.
  await person.displays(/what\s+backend\s+answered\s+external/)
  await person.displays(/The\s+answer\s+to\s+finding\./)
  expect(person.printed).not.toContain('Words-to-refuse.')
})

test('a message for an open session of the real Claude Code comes in, and its agent answers it', {
  timeout: slow,
}, async () => {
  await using person = consoleOf(iris, 'backend')
  await person.shows('❯')
  const turn = await sendLive('backend', 'What now?')
  await person.shows('a message for this session.')
  expect(await endOf(turn)).toMatchObject({
    status: 'completed',
    response: 'From the open session.',
    thread: 'live:main',
  })
  open('hello')
  expect(await ask(endpoint(), 'backend', 'hello')).toMatchObject({ response: 'The answer to hello.' })
})

/** Older builds take input before their MCP servers are there. */
const connected = async (person: Terminal): Promise<void> => {
  await person.shows('❯')
  let asked = 0
  const hasTools = async () => {
    await person.type(`tools ${++asked}`)
    await person.shows(`Look ${asked}:`)
    return person.printed.includes(`Look ${asked}: Iris is there.`)
  }
  await eventually(hasTools, 'the tools of Iris are there')
}

test('a console of Claude Code 2.1.197, which has no inbox to refuse with, learns from its next call that answers wait', {
  timeout: slow,
  tags: ['thorough'],
}, async () => {
  await using person = consoleOf(iris, 'frontend', refusing, '2.1.197')
  await connected(person)
  await answeredLate(person, 'older-one')
  await answeredLate(person, 'older-two')
  await person.type('ask older-next')
  await person.shows('2 answers wait. message_status collects turn')
  const older = `message IN ('older-one', 'older-two')`
  expect(iris.rows(`SELECT pushed_at AS pushed FROM late_answers JOIN turns ON id = turn WHERE ${older}`)).toEqual([
    { pushed: null },
    { pushed: null },
  ])
  open('older-next')
})
