// Run in a clone as: node .probe/stage.ts PORT (needs unshare with lo). One Iris with 10,000 conversations, a browser, and an endpoint for readers.

import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { openDatabase } from '../src/platform/store/database.ts'
import { TestBrowser } from '../test/support/browser.ts'
import { callTool } from '../test/support/call-tool.ts'
import { DaemonProcess } from '../test/support/daemon-process.ts'
import { createWorld, spoken } from '../test/support/world.ts'

const work = process.argv[2]!
const width = Number(process.argv[3] ?? 1280),
  height = Number(process.argv[4] ?? 800)
let releaseSlow = () => {}
const slow = new Promise<void>((r) => (releaseSlow = r))
const script = async ({ conversation: { lastUserText, toolResults } }: any) => {
  const said = spoken(lastUserText)
  if (toolResults.length > 0) return { text: 'Done. ' + toolResults[0].text }
  if (said.includes('clean up'))
    return {
      toolUses: [
        {
          name: 'Bash',
          input: { command: 'rm -rf build dist && git push --force origin main', description: 'Clean up and publish' },
        },
      ],
    }
  if (said.includes('long report')) {
    await slow
    return { text: 'The report.' }
  }
  return { text: `I looked at it: ${said.slice(0, 60)} -- it is fine.` }
}
const names = [
  'frontend',
  'backend',
  'docs',
  'payments',
  'mobile',
  'search',
  'infra',
  'design',
  'analytics',
  'website',
  ...Array.from({ length: 30 }, (_, i) => `service-${i + 1}`),
]
const teams: any = Object.fromEntries(names.map((n) => [n, {}]))
teams['payments'] = { grantPermission: 'ask' }
const settings = { maxProcesses: 3 }
const world = await createWorld({ script, teams, claude: 'fake', settings } as any)
const database = openDatabase(join(world.home, 'data/team-sessions.db'))
const insertSession = database.prepare(
  `INSERT INTO team_sessions (from_team, to_team, thread, session_id, created_at, last_used_at, last_response_at, message_count, context_tokens, context_window, cost_usd) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, 200000, ?) RETURNING id`,
)
const insertTurn = database.prepare(
  `INSERT INTO turns (id, session, message, hop, awaited, state, outcome, answer, usage, accepted_at, settled_at) VALUES (?, ?, ?, 1, 1, 'settled', 'completed', ?, ?, ?, ?)`,
)
const usage = JSON.stringify({
  inputTokens: 9,
  outputTokens: 90,
  cacheReadTokens: 9000,
  cacheWriteTokens: 90,
  costUsd: 0.01,
})
const topics = [
  'the orders endpoint',
  'the login form',
  'the nightly build',
  'the price list',
  'a flaky test',
  'the upload limit',
  'an index on invoices',
  'the colour of links',
  'retries of the queue',
  'the size of the bundle',
]
database.exec('PRAGMA synchronous = OFF; BEGIN')
const now = Date.now(),
  hour = 3_600_000,
  span = 60 * 24 * hour,
  n = 10_000
const asked = names.filter((x) => x !== 'docs')
const rows: any[] = []
for (let i = 0; i < n; i++) {
  const at = now - 3 * hour - (i * span) / n
  const from = asked[i % asked.length]!,
    to = asked[(i * 7 + 1 + Math.floor(i / asked.length)) % asked.length]!
  const row = insertSession.get(
    ...([
      from === to ? 'external' : from,
      to,
      `t${i}`,
      crypto.randomUUID(),
      at - hour,
      at,
      at,
      2,
      (i * 7919) % 200_000,
      0.02,
    ] as any),
  ) as any
  rows.push([row.id, at, topics[i % topics.length]])
}
for (const turn of [1, 0])
  for (let i = n - 1; i >= 0; i--) {
    const [id, at, topic] = rows[i]
    let answer =
      `About ${topic}: the code is in src/${i % 50}.ts. ` +
      'It was changed with the last release, and the tests cover it. '.repeat(6)
    if (i === 5001 && turn === 0)
      answer = 'The certificate of the staging proxy is rotated by a cron job named heron, on the first of each month.'
    insertTurn.run(
      crypto.randomUUID(),
      id,
      `What about ${topic}? (${turn ? 'first' : 'second'} question)`,
      answer,
      usage,
      at - turn * 60_000,
      at - turn * 60_000 + 4000,
    )
  }
database.exec('COMMIT')
database.close()
const daemon = await DaemonProcess.start(world)
const call = (args: any) => callTool(daemon as any, 'send_message', { fromTeam: 'frontend', timeout: -1, ...args })
await call({ toTeam: 'payments', message: 'Please clean up the old builds and publish.' })
await call({ toTeam: 'backend', message: 'Write the long report about the queue.' })
for (const t of ['search', 'infra', 'mobile'])
  await call({ toTeam: t, message: 'Write the long report about your service.' })
// broken: the directory of one team is gone
renameSync(world.directory('website'), world.directory('website') + '-moved')
await call({ toTeam: 'website', message: 'Is the imprint up to date?' })
const browser = await TestBrowser.start()
const tab = await browser.open({ port: daemon.port, token: daemon.token, world } as any, { width, height })
const page = tab.page
let pictures = 0
createServer(async (request, response) => {
  let body = ''
  for await (const c of request) body += c
  const answer = (x: unknown) => response.end((typeof x === 'string' ? x : (JSON.stringify(x) ?? 'ok')) + '\n')
  try {
    const [verb, ...rest] = body.trim().split(' ')
    const arg = rest.join(' ')
    let out: unknown = 'ok'
    if (verb === 'click') await page.mouse.click(...(rest.slice(0, 2).map(Number) as [number, number]))
    else if (verb === 'move') await page.mouse.move(...(rest.slice(0, 2).map(Number) as [number, number]))
    else if (verb === 'wheel') await page.mouse.wheel(0, Number(rest[0]))
    else if (verb === 'type') await page.keyboard.type(arg)
    else if (verb === 'press') for (const key of rest) await page.keyboard.press(key)
    else if (verb === 'text') out = await page.evaluate('document.body.innerText.slice(0, 6000)')
    else if (verb === 'focus')
      out = await page.evaluate(
        `(() => { const e = document.activeElement; return e.tagName + ' ' + (e.getAttribute('aria-label') ?? e.innerText ?? '').slice(0, 120) })()`,
      )
    else if (verb === 'repair') {
      renameSync(world.directory('website') + '-moved', world.directory('website'))
      out = 'the directory is back'
    } else if (verb === 'release') releaseSlow()
    else if (verb === 'url') out = page.url()
    else if (verb !== 'look') throw new Error('verbs: look click move wheel type press text focus url repair')
    await page.waitForTimeout(600)
    const file = join(work, `${++pictures}.png`)
    await page.screenshot({ path: file })
    answer(`${typeof out === 'string' ? out : 'ok'}\npicture: ${file}`)
  } catch (error) {
    answer('error: ' + String(error).slice(0, 500))
  }
}).listen(join(work, 'sock'))
console.log('ready', daemon.port)
const poll = setInterval(async () => {
  if (existsSync(join(work, 'stop'))) {
    clearInterval(poll)
    await browser[Symbol.asyncDispose]()
    await daemon[Symbol.asyncDispose]()
    await world[Symbol.asyncDispose]?.()
    process.exit(0)
  }
}, 1000)
