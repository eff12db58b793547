import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { daemonFileIn } from '../../src/base/protocol/daemon.ts'
import { type Tab, TestBrowser } from '../support/browser.ts'
import { eventually } from '../support/eventually.ts'
import { count } from '../support/page-waits.ts'
import { Program, processesOf } from '../support/program.ts'
import { scratchDirectory } from '../support/scratch.ts'
import { insightPicture } from '../support/shown-pages.ts'

const scratch = scratchDirectory()
let demo: Program
let browser: TestBrowser
/** Of the demo. */
let home: string
let tab: Tab

beforeAll(async () => {
  const env = { PATH: '/usr/bin:/bin', TMPDIR: scratch.path }
  demo = new Program(['demo', '--insight'], { cwd: scratch.path, env })
  browser = await TestBrowser.start()
  const ended = demo.ended.then(({ stdout, stderr }) => {
    throw new Error(`the demo ended: ${stdout}${stderr}`)
  })
  await Promise.race([eventually(() => demo.stdout.includes('Ctrl-C ends it.'), 'the page to look at'), ended])
  home = /IRIS_HOME=(\S+)/.exec(demo.stdout)![1]!
  const { port } = daemonFileIn(readFileSync(join(home, 'daemon.json'), 'utf8'))!
  const owner = (): string => readFileSync(join(home, 'owner'), 'utf8').trim()
  tab = await browser.open({ port, token: '', world: { owner } }, { path: '/insight', width: 1280, height: 1400 })
}, 150_000)
afterAll(async () => {
  await browser[Symbol.asyncDispose]()
  demo.child.kill('SIGTERM')
  await demo.ended
  scratch[Symbol.dispose]()
})

const section = (name: string) => tab.page.getByRole('region', { name, exact: true })
const item = (name: string, text: string) => section(name).getByRole('listitem').filter({ hasText: text })

/** The rows that the query gives which the page shows in that item. */
async function queried(name: string, text: string): Promise<Record<string, unknown>[]> {
  const found = item(name, text)
  await found.getByText('Query', { exact: true }).click()
  const sql = await found.locator('pre').last().innerText()
  using store = new DatabaseSync(join(home, 'data/team-sessions.db'), { readOnly: true })
  return store.prepare(sql).all()
}

test('iris demo --insight names each pattern that is hidden in its week, with what Iris reports', () => {
  for (const line of [
    /^The week is invented: \d+ messages between four teams, with 12 patterns in it\.$/m,
    /^ {2}a question, asked 6 times +"Where is the orders endpoint defined\?", 6 times$/m,
    /^ {2}mobile asks backend, which asks billing +mobile → backend → billing, 18 of \d+ times$/m,
    /^ {2}frontend → billing fails +frontend → billing, 1[89] of \d+ messages$/m,
    /^ {2}a busy hour at 10:00 +10:00 to 11:00, \d\.\d times the average$/m,
    /^ {2}a file that changed +src\/api\.ts, since 2 answers$/m,
  ])
    expect(demo.stdout).toMatch(line)
})

test('the page says what is in the week: suggestions, patterns, answers out of date, faults', async () => {
  for (const [name, words] of [
    ['Asked repeatedly', 'Where is the orders endpoint defined?'],
    ['Asked repeatedly', 'How do I run the payment tests against the sandbox?'],
    ['Rules that would have saved permission requests', 'Bash(npm run typecheck:*)'],
    ['Most expensive pairs', 'billing'],
    ['Answers that contradict each other', 'What is the largest number of items in a cart?'],
    ['Going in circles', 'Read src/screens/checkout.tsx'],
    ['Recurring patterns', 'mobile → backend leads to backend → billing: 18 of'],
    ['Recurring patterns', 'messages from frontend to billing failed.'],
    ['Recurring patterns', 'From 10:00 AM to 11:00 AM'],
    ['Recurring patterns', 'frontend waits for Bash npm test: p50 '],
    ['Answers out of date', 'src/api.ts changed'],
    ['Faults', 'process died, mobile → backend: what it left running is ended'],
    ['Faults', 'Healed in 47 min.'],
  ] as const)
    await item(name, words).first().waitFor()
  // Nothing else in the week is a question that was asked twice.
  const refuse = section('Asked repeatedly').getByRole('button', { name: /^Dismiss: / })
  await count(refuse, 3)
  await tab.keepPicture(insightPicture)
  expect(await tab.barriers()).toEqual([])
  expect(tab.troubles).toEqual([])
})

test('it says of each decision that Iris made by itself what it did and what that saved', async () => {
  const sentences = [
    '3 answers were reused, which saved $0.36 and ',
    '22 processes were started ahead of time. 18 got a message, which saved 16 sec.',
    '1 collision: two running messages used a file that one of them was about to change. Iris told both agents.',
    '1 answer went out of date, because a file behind it changed. Iris told the asker at once.',
  ]
  for (const sentence of sentences) await count(tab.page.getByText(sentence), 1)
})

test('each number on the page is what the query beside it gives', async () => {
  const asked = await queried('Asked repeatedly', 'Where is the orders endpoint defined?')
  await item('Asked repeatedly', 'Where is the orders endpoint').getByText(`was asked ${asked.length} times`).waitFor()
  const allowed = await queried('Rules that would have saved permission requests', 'npm run typecheck')
  await section('Rules that would have saved permission requests')
    .getByText(`${allowed.length} permission requests, all allowed`)
    .waitFor()
  const [{ messages, costUsd }] = (await queried('Most expensive pairs', 'backend asks billing')) as [
    { messages: number; costUsd: number },
  ]
  const cost = new RegExp(`\\$${costUsd.toFixed(2).replace('.', '\\.')}, \\d+%, ${messages} messages`)
  await item('Most expensive pairs', 'backend asks billing').getByText(cost).waitFor()
  expect(await queried('Answers that contradict each other', 'largest number of items')).toHaveLength(2)
  const circle = await queried('Going in circles', 'checkout.tsx')
  await item('Going in circles', 'checkout.tsx').getByText(`${circle.length} times`).waitFor()
})

test('Ctrl-C ends it, and nothing of it runs on', async () => {
  demo.child.kill('SIGINT')
  expect((await demo.ended).code).toBe(0)
  await eventually(() => processesOf(scratch.path).length === 0, 'every process of the demo to end')
})
