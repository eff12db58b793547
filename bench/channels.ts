import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { BotApi } from '../test/support/bot-api.ts'
import { DaemonProcess } from '../test/support/daemon-process.ts'
import { fakeClaude } from '../test/support/fake-claude.ts'
import { createWorld, type World } from '../test/support/world.ts'
import { residentMiB } from './daemon-figures.ts'
import { ms, summarize } from './measure.ts'
import type { Row } from './row.ts'

const rounds = 30
const warmUp = 5
const people = 100
/** How often all of them speak. */
const crowds = 4
const flood = 1000
const fromEverybody = Array.from({ length: people }, (_, each) => 1000 + each)

/** K1 to K4: what a chat adds to a message, many chats at once and the daemon's memory for them, and a flood of one person. */
export async function channels(): Promise<readonly Row[]> {
  return [await added(), ...(await many())]
}

/** From an update at the platform until the message is given to a warm process. What the CLI takes then is not Iris's. */
async function added(): Promise<Row> {
  await using api = await BotApi.start()
  await using world = await createWorld({ script: () => ({ text: 'an answer' }), teams: ['backend'] })
  joinTelegram(world, api, { allow: [42] })
  await using _daemon = await DaemonProcess.start(world)
  await api.listens()
  using database = new DatabaseSync(join(world.home, 'data/team-sessions.db'), { readOnly: true })
  const last = database.prepare('SELECT dispatched_at AS at FROM turns ORDER BY sequence DESC LIMIT 1')
  const answers = (): number => api.textsIn(42).filter((text) => text === 'an answer').length
  const times: number[] = []
  for (let round = -warmUp; round < rounds; round++) {
    const before = answers()
    const saidAt = Date.now()
    api.say('hello')
    await api.until(() => answers() > before, 'the answer')
    if (round >= 0) times.push(Number(last.get()!['at']) - saidAt)
  }
  const all = summarize(times)
  return {
    id: 'K1',
    what: 'from an update of a chat until its message is given to a warm process',
    measured: `${ms(all.p50)}, p95 ${ms(all.p95)} (n=${rounds})`,
    aim: '≤ 20 ms',
    data: { all },
  }
}

async function many(): Promise<readonly Row[]> {
  using fake = fakeClaude({ bare: true })
  await using api = await BotApi.start()
  const team = { claudePath: fake.claudePath, env: fake.env }
  await using world = await createWorld({ teams: { backend: team }, settings: { maxProcesses: 10 } })
  joinTelegram(world, api, { allow: [42, ...fromEverybody], maxSessions: 200 })
  await using daemon = await DaemonProcess.start(world)
  await api.listens()
  // Iris may have said how many come before.
  const answered = (): number => api.posts.filter(({ text }) => text !== '…' && !text.endsWith(' before you.')).length
  for (const each of [1, 2, 3, 4]) {
    api.say(`message ${each}`)
    await api.until(() => answered() === each, 'one chat is answered')
  }
  const memory = [residentMiB(daemon.pid)]
  const began = performance.now()
  for (let crowd = 1; crowd <= crowds; crowd++) {
    for (const each of [1, 2]) for (const from of fromEverybody) api.say(`message ${each} of ${from}`, { from })
    for (let some = 4 + 2 * people * (crowd - 1); some < 4 + 2 * people * crowd; some++)
      await api.until(() => answered() > some, 'one more is answered')
    memory.push(residentMiB(daemon.pid))
  }
  const seconds = (performance.now() - began) / 1000 / crowds
  const before = memory.at(-1)!
  const floodBegan = performance.now()
  for (let each = 0; each < flood; each++) api.say(`flood ${each}`)
  api.say('a question', { from: 1000 })
  await api.until(() => answered() > 4 + 2 * people * crowds, 'the other one is answered')
  while (api.pending.length > 0) {
    const left = api.pending.length
    await api.until(() => api.pending.length < left, 'less of the flood is left')
  }
  const floodMs = performance.now() - floodBegan
  using database = new DatabaseSync(join(world.home, 'data/team-sessions.db'), { readOnly: true })
  const count = (sql: string): number => Number(Object.values(database.prepare(sql).get()!)[0])
  const turns = count(`SELECT COUNT(*) FROM turns WHERE message LIKE 'flood %'`)
  const rows = count(`SELECT COUNT(*) FROM channel_messages WHERE sender = '42'`) - 4
  const grown = Math.max(0, residentMiB(daemon.pid) - before)
  return [
    {
      id: 'K2',
      what: `${people} chats with two messages each at once, through 10 processes`,
      measured: `all answered in ${seconds.toFixed(1)} s each time`,
      aim: 'none lost',
      data: { seconds },
    },
    {
      id: 'K3',
      what: `a flood of ${flood} messages of one person, and one of another`,
      measured: `${ms(floodMs)}, ${turns} turns, ${rows} rows, ${grown.toFixed(0)} MB more`,
      aim: 'bounded for one alone',
      data: { floodMs, turns, rows, grown },
    },
    {
      id: 'K4',
      what: `resident memory of the daemon: one chat, then ${crowds} times those ${people}`,
      measured: `${memory.map((one) => one.toFixed(0)).join(', ')} MiB`,
      aim: 'bounded',
      data: { memory },
    },
  ]
}

function joinTelegram(world: World, api: BotApi, more: object): void {
  writeFileSync(join(world.home, 'telegram-token'), api.token, { mode: 0o600 })
  const bot = { platform: 'telegram', tokenFile: 'telegram-token', apiRoot: api.url, team: 'backend' }
  world.writeConfig({ channels: { bot: { ...bot, ...more } } })
}
