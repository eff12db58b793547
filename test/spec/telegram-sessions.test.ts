import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Script } from '../../src/app/demo/script.ts'
import { BotApi } from '../support/bot-api.ts'
import { callTool } from '../support/call-tool.ts'
import { eventually } from '../support/eventually.ts'
import { TestIris } from '../support/iris.ts'
import { JumpingClock } from '../support/jumping-clock.ts'

const chatTools = [
  { name: 'mcp__iris__chat_reply', input: { text: 'I am looking.' } },
  { name: 'mcp__iris__chat_react', input: { reaction: '👀' } },
  { name: 'mcp__iris__chat_history', input: { limit: 5 } },
]
/** The system prompt of the last request. */
let system = ''
const script: Script = ({ conversation: { lastUserText, step, toolResults, systemText } }) => {
  system = systemText
  const [, said = ''] = /<iris-message [^>]*>\n([\s\S]*)\n<\/iris-message>/.exec(lastUserText) ?? []
  if (said === 'tools' && step < chatTools.length) return { toolUses: [chatTools[step]!] }
  if (said === 'tools') return { text: toolResults.at(-1)!.text }
  return { text: `You said: ${said}`, ...(said === 'much' && { inputTokens: 850_000 }) }
}

let clock: JumpingClock
let api: BotApi
let iris: TestIris
beforeAll(async () => {
  clock = new JumpingClock({ goesOn: true })
  api = await BotApi.start(() => clock.now())
  iris = await TestIris.start({ script, clock, teams: { backend: {} } })
  join_(iris, 'Speak like a lighthouse keeper.')
  await iris.event('config-reloaded')
  await linked(iris, 'connected')
})
afterAll(async () => {
  await iris[Symbol.asyncDispose]()
  await api[Symbol.asyncDispose]()
})

function join_({ world }: TestIris, instructions: string): void {
  writeFileSync(join(world.home, 'telegram-token'), api.token, { mode: 0o600 })
  const shop = { platform: 'telegram', tokenFile: 'telegram-token', team: 'backend', apiRoot: api.url, allow: [42] }
  world.writeConfig({ channels: { shop }, roles: { chat_bot: { instructions } } })
}
const linked = (of: TestIris, state: string) =>
  eventually(async () => {
    const listed = await callTool({ port: of.port, token: of.world.owner() }, 'list_channels')
    const [channel] = listed['channels'] as { link: { state: string; why?: string } }[]
    return channel?.link.state === state && channel.link
  }, `the bot is ${state}`)
const posted = (text: string | RegExp) => api.posted(42, text)
const turns = () => Number(iris.rows('SELECT COUNT(*) AS count FROM turns')[0]!['count'])

test('an agent posts, reacts and reads the chat in Telegram, where bots see no history', async () => {
  api.say('hello')
  await posted('You said: hello')
  const id = api.say('tools')
  // The history of Telegram is what Iris was asked and answered.
  const { text: history } = await posted(/"You said: hello"/)
  expect(JSON.parse(history).messages.map(({ text }: { text: string }) => text)).toEqual([
    'hello',
    'You said: hello',
    'tools',
  ])
  expect(api.reactions).toEqual([`${id} 👀`])
  expect(api.textsIn(42)).toContain('I am looking.')
})

test('a message that its sender changes afterwards asks nothing', async () => {
  const before = turns()
  const id = api.say('as written')
  await posted('You said: as written')
  api.edit(id, 'as changed')
  api.say('after the change')
  await posted('You said: after the change')
  expect(turns()).toBe(before + 2)
  expect(api.textsIn(42)).not.toContain('You said: as changed')
})

test('a changed instruction of the role counts from the next message', { tags: ['thorough'] }, async () => {
  expect(system).toContain('Speak like a lighthouse keeper.')
  join_(iris, 'Speak like a gardener.')
  const inForce = () => iris.daemon.parts.config().roles.get('chat_bot')?.instructions
  await eventually(() => inForce() === 'Speak like a gardener.', 'it is in force')
  await linked(iris, 'connected')
  api.say('who are you?')
  await posted('You said: who are you?')
  expect(system).toContain('Speak like a gardener.')
  expect(system).not.toContain('lighthouse')
})

test('a conversation whose context is full starts over, and the chat is told', async () => {
  const sessionOf = () => iris.rows(`SELECT session_id FROM team_sessions WHERE status <> 'archived'`)
  api.say('much')
  await posted('You said: much')
  const full = sessionOf()
  api.say('and now?')
  // While it is written, the answer is shown without what precedes it.
  await posted(/^This is a new conversation: the last one came to its end\.\s+You said: and now\?$/)
  expect(sessionOf()).not.toEqual(full)
})

test('a second daemon with the same token is refused with the pid of the first, and takes over when that has ended', {
  tags: ['thorough'],
}, async () => {
  await using second = await TestIris.start({ claude: 'fake', script, clock, teams: { backend: {} } })
  join_(second, 'x')
  const { why } = await linked(second, 'refused')
  expect(why).toBe(`the daemon with the pid ${process.pid} has a connection for this token already`)
  api.say('to the first')
  await posted('You said: to the first')
  expect(second.rows('SELECT id FROM turns')).toEqual([])
  iris.world.writeConfig({})
  await eventually(async () => {
    const listed = await callTool({ port: iris.port, token: iris.world.owner() }, 'list_channels')
    return (listed['channels'] as unknown[]).length === 0
  }, 'the first has no channel any more')
  await clock.jump(30_000)
  await linked(second, 'connected')
  api.say('to the second')
  await posted('You said: to the second')
  expect(second.rows('SELECT COUNT(*) AS turns FROM turns')).toEqual([{ turns: 1 }])
})
