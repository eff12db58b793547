import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Script } from '../../src/app/demo/script.ts'
import { ask, callTool } from '../support/call-tool.ts'
import { eventually } from '../support/eventually.ts'
import { Installation, irisCommand } from '../support/program.ts'
import { claudeBinary } from '../support/real-claude.ts'
import { asUsedBefore, Terminal } from '../support/terminal.ts'
import { spoken } from '../support/world.ts'

const slow = 120_000
let iris: Installation
const gate = (name: string): string => join(iris.world.root, `open-${name}`)
const open = (name: string): void => writeFileSync(gate(name), '')

/** `backend` answers once its gate is open. In a console: `ask <question>`. Asked by a team, a console answers it. */
const script: Script = async ({ conversation: { lastUserText, step, toolResults } }) => {
  const [, turn] = /inReplyTo "([0-9a-f-]+)"/.exec(lastUserText) ?? []
  if (turn !== undefined && step > 0) return { text: 'I have answered.' }
  if (turn !== undefined) {
    const input = { toTeam: 'external', inReplyTo: turn, message: 'From the open session.' }
    return { toolUses: [{ name: 'mcp__iris__send_message', input }] }
  }
  const message = lastUserText.indexOf('<iris-message from=')
  if (message >= 0) {
    const question = spoken(lastUserText.slice(message))
    await eventually(() => existsSync(gate(question)), `the gate of ${question}`, 90_000)
    return { text: `The answer to ${question}.` }
  }
  if (lastUserText.startsWith('Iris, ')) return { text: 'I have read it.' }
  const [verb, question = ''] = lastUserText.split(' ')
  if (verb !== 'ask' || step > 0) return { text: `Done with ${question}. ${toolResults.at(-1)?.text ?? ''}` }
  const input = { toTeam: 'backend', message: question, thread: question }
  return { toolUses: [{ name: 'mcp__iris__quick_message', input }] }
}

beforeAll(async () => {
  const teams = { backend: { live: 'yes' }, frontend: {} }
  iris = await Installation.create({ script, teams, settings: { maxSilence: 120_000 } })
  const [command, ...args] = irisCommand.split(' ')
  const servers = { mcpServers: { iris: { command, args: [...args, 'mcp'], env: iris.env } } }
  writeFileSync(join(iris.world.root, 'mcp.json'), JSON.stringify(servers))
  // Before anything runs: every Claude Code writes this file, and would forget what is written beside it.
  const projects = ['frontend', 'backend'].map((team) => iris.world.directory(team))
  asUsedBefore(join(iris.world.root, '.claude.json'), ...projects)
  await iris.startDaemon()
})
afterAll(() => iris[Symbol.asyncDispose]())

const consoleOf = (team: string, more = ''): Terminal => {
  const options = `--mcp-config ${join(iris.world.root, 'mcp.json')} --strict-mcp-config --permission-mode default`
  const command = `exec ${claudeBinary('2.1.330')} ${options} --allowedTools mcp__iris ${more}`
  return new Terminal(command, { cwd: iris.world.directory(team), env: iris.world.env })
}

/** Asks in a console, and waits until the answer has come and the console has not asked for it. */
const answeredLate = async (person: Terminal, question: string): Promise<void> => {
  await person.shows('❯')
  await person.type(`ask ${question}`)
  await person.shows(`Done with ${question}.`)
  open(question)
  const ended = () =>
    iris.rows(`SELECT 1 FROM turns WHERE message = '${question}' AND outcome = 'completed'`).length === 1
  await eventually(ended, `the answer to ${question}`, 30_000)
}

test('with crossSessionInbound: refuse an answer starts no turn, and the next call says that it waits', {
  timeout: slow,
}, async () => {
  await using person = consoleOf('frontend', `--settings '{"crossSessionInbound":"refuse"}'`)
  await answeredLate(person, 'refusing')
  await person.type('ask refusing-next')
  await person.shows('1 answer waits. message_status collects turn')
  const asked = iris.world.model.requests.recent.map(({ body }) => JSON.stringify(body.messages.at(-1)))
  expect(asked.filter((text) => text.includes('<iris-answer') && text.includes('refusing'))).toEqual([])
  open('refusing-next')
})

test('a message for an open session of the real Claude Code comes in, and its agent answers it', {
  timeout: slow,
}, async () => {
  await using person = consoleOf('backend')
  await person.shows('❯')
  const { port } = iris.daemon()!
  const endpoint = { port, token: iris.world.token() }
  const live = () => callTool(endpoint, 'quick_message', { toTeam: 'backend', message: 'What now?', deliver: 'live' })
  const sent = await eventually(async () => {
    const answer = await live()
    return 'error' in answer ? undefined : answer
  }, 'the session is open')
  await person.shows('a message for this session.')
  const end = await callTool(endpoint, 'message_status', { turnId: sent['turnId'], timeout: 0 })
  expect(end).toMatchObject({ status: 'completed', response: 'From the open session.', thread: 'live:main' })
  open('hello')
  expect(await ask(endpoint, 'backend', 'hello')).toMatchObject({ response: 'The answer to hello.' })
})
