import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { BotApi } from '../support/bot-api.ts'
import { eventually } from '../support/eventually.ts'
import { fakeClaude } from '../support/fake-claude.ts'
import { TestIris } from '../support/iris.ts'

const people = Array.from({ length: 100 }, (_, each) => 1000 + each)
const messages = ['first', 'second']

test('100 chats that speak at once through a pool of 10, and the bound of catching up', {
  tags: ['thorough'],
  timeout: 400_000,
}, async () => {
  using fake = fakeClaude({ bare: true })
  await using api = await BotApi.start()
  await using iris = await TestIris.start({
    teams: { backend: { claudePath: fake.claudePath, env: fake.env } },
    // On a slow machine the last ones wait long, and none may end for that.
    settings: { maxProcesses: 10, queueTimeout: 600_000 },
  })
  let most = 0
  iris.events$.subscribe(() => {
    most = Math.max(most, iris.daemon.parts.sessions.processes.activeProcesses)
  })
  writeFileSync(join(iris.world.home, 'telegram-token'), api.token, { mode: 0o600 })
  const bot = { platform: 'telegram', tokenFile: 'telegram-token', apiRoot: api.url, team: 'backend' }
  iris.world.writeConfig({ channels: { bot: { ...bot, allow: people } } })
  await api.listens()
  const began = Date.now()

  const said = new Map<number, number[]>(people.map((from) => [from, []]))
  for (const text of messages) for (const from of people) said.get(from)!.push(api.say(`the ${text}`, { from }))
  const count = (sql: string): number => Number(Object.values(iris.rows(sql)[0]!)[0])
  const open = `SELECT COUNT(*) FROM channel_posts WHERE state <> 'posted'`
  const all = messages.length * people.length
  // Each wait is for one more of them: all together take longer than a wait may.
  const settled = async (wanted: number): Promise<void> => {
    for (let some = 1; some <= wanted; some++) {
      let seen = 0
      await iris.event('turn-settled', () => ++seen === some)
    }
  }
  await settled(all)
  await eventually(() => count('SELECT COUNT(*) FROM turns') === all && count(open) === 0, 'all are answered')
  // Each in its order, in its own chat, once.
  for (const from of people) {
    const posts = api.posts.filter(({ chat }) => chat === String(from))
    // Iris may have said how many come before.
    const answers = posts.filter(({ text }) => !text.endsWith(' before you.'))
    expect(answers.map(({ replyTo }) => replyTo)).toEqual(said.get(from))
    const asked = iris.rows(
      `SELECT message FROM turns JOIN team_sessions s ON s.id = session WHERE from_team = 'telegram:${from}' ORDER BY settled_at`,
    )
    expect(asked.map(({ message }) => message)).toEqual(messages.map((text) => `the ${text}`))
  }
  expect(count(`SELECT COUNT(*) FROM turns WHERE outcome = 'completed'`)).toBe(all)
  expect(most).toBeLessThanOrEqual(10)

  await iris.daemon.stop(0)
  for (const from of people.slice(0, 60)) api.say(`meanwhile ${from}`, { from, at: began + 2000 })
  await iris.restart()
  await settled(50)
  await eventually(() => count(`SELECT COUNT(*) FROM channel_messages WHERE state = 'skipped'`) === 10, 'ten are not')
  await eventually(() => count(open) === 0, 'everything is posted')
  expect(api.posts.filter(({ text }) => text.startsWith('1 older message was not answered'))).toHaveLength(10)
  expect(count('SELECT COUNT(*) FROM turns')).toBe(all + 50)
})
