import { execFileSync } from 'node:child_process'
import { appendFileSync, rmSync, statSync, truncateSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { heldText, type Script } from '../../src/app/demo/script.ts'
import { systemClock } from '../../src/base/lib/clock.ts'
import { Search } from '../../src/features/search/search.ts'
import { ask, callTool, refusal } from '../support/call-tool.ts'
import { eventually } from '../support/eventually.ts'
import { TestIris } from '../support/iris.ts'
import { fillStore } from '../support/many-turns.ts'
import { spoken } from '../support/world.ts'

interface Hit {
  readonly turnId: string
  readonly sessionId: string
  readonly from: string
  readonly to: string
  readonly where: string
  readonly at: number
  readonly snippet: readonly { readonly text: string; readonly isMatch: boolean }[]
}

const answers: Record<string, string> = {
  'Which fields has an order?': 'An order has an order_id and a naïve **total**.',
  'And an invoice?': 'An invoice has a number and refers to an order.',
  'Żółć?': 'Gęślą jaźń.',
}
const script: Script = ({ conversation }) => {
  const message = spoken(conversation.lastUserText)
  if (message === 'hold the zebra') return { stream: heldText('Half', new Promise<never>(() => {}), '') }
  return { text: answers[message] ?? `You said: ${message}` }
}

async function find(iris: TestIris, query: string, more: object = {}) {
  const answer = await callTool(iris, 'search_messages', { query, ...more })
  if ('error' in answer) throw new Error(JSON.stringify(answer))
  return answer as unknown as { hits: Hit[]; nextCursor?: string; isIndexing: boolean }
}

const told = ({ hits }: { hits: readonly Hit[] }): string[] =>
  hits.map(
    ({ where, snippet }) => `${where}: ${snippet.map(({ text, isMatch }) => (isMatch ? `[${text}]` : text)).join('')}`,
  )

const start = () => TestIris.start({ claude: 'fake', script })

describe('what was asked and answered', () => {
  test('is found by its words at once, the newest first, with the place where it stands', async () => {
    await using iris = await start()
    const first = await ask(iris, 'backend', 'Which fields has an order?', { fromTeam: 'frontend' })
    const second = await ask(iris, 'mobile', 'And an invoice?')
    const found = await find(iris, 'order')
    expect(told(found)).toEqual([
      'answer: An invoice has a number and refers to an [order].',
      'answer: An [order] has an [order]_id and a naïve total.',
      'message: Which fields has an [order]?',
    ])
    expect(found.hits.map(({ turnId, sessionId, from, to }) => ({ turnId, sessionId, from, to }))).toEqual([
      { turnId: second.turnId, sessionId: second.sessionId, from: 'external', to: 'mobile' },
      { turnId: first.turnId, sessionId: first.sessionId, from: 'frontend', to: 'backend' },
      { turnId: first.turnId, sessionId: first.sessionId, from: 'frontend', to: 'backend' },
    ])
    const [row] = iris.rows(`SELECT accepted_at, settled_at FROM turns WHERE id = '${first.turnId}'`)
    expect(found.hits.slice(1).map(({ at }) => at)).toEqual([row!['settled_at'], row!['accepted_at']])
  })

  test('is found by all words together, by how they begin, in any case, with or without accents', async () => {
    await using iris = await start()
    for (const message of ['Which fields has an order?', 'Żółć?']) await ask(iris, 'backend', message)
    expect(told(await find(iris, 'NAIVE ord'))).toEqual(['answer: An [order] has an [order]_id and a [naïve] total.'])
    expect(told(await find(iris, 'gesla jazn'))).toEqual(['answer: [Gęślą] [jaźń].'])
    expect(told(await find(iris, 'order invoice'))).toEqual([])
    expect(told(await find(iris, '"an order"'))).toHaveLength(2)
    expect(told(await find(iris, '"order an"'))).toEqual([])
    expect(told(await find(iris, '"an ord"'))).toEqual([])
    expect(told(await find(iris, 'order_id'))).toHaveLength(1)
  })

  test('is found in the middle of a run of Chinese or Japanese signs', async () => {
    await using iris = await start()
    for (const message of ['請檢查訂單API的欄位。', 'コーヒーを注文する']) await ask(iris, 'backend', message)
    const messages = async (query: string) => told(await find(iris, query)).filter((hit) => hit.startsWith('message'))
    expect(await messages('訂單')).toEqual(['message: 請檢查[訂單]API的欄位。'])
    expect(await messages('api 欄位')).toEqual(['message: 請檢查訂單[API]的[欄位]。'])
    expect(await messages('注文')).toEqual(['message: コーヒーを[注文]する'])
    expect(await messages('單訂')).toEqual([])
  })

  test('is found where it is wanted, a page at a time', async () => {
    await using iris = await start()
    const asks = [
      { to: 'backend', fromTeam: 'frontend' },
      { to: 'backend', fromTeam: 'mobile' },
      { to: 'frontend', fromTeam: 'backend', thread: 'review' },
    ]
    for (const { to, ...from } of asks) await ask(iris, to, 'pears', from)
    const pairs = async (more: object) => (await find(iris, 'pears', more)).hits.map(({ from, to }) => `${from} ${to}`)
    expect(await pairs({ team: 'frontend' })).toEqual(
      Array.from({ length: 4 }, (_, index) => (index < 2 ? 'backend frontend' : 'frontend backend')),
    )
    expect(await pairs({ from: 'mobile' })).toEqual(['mobile backend', 'mobile backend'])
    expect(await pairs({ to: 'frontend' })).toEqual(['backend frontend', 'backend frontend'])
    expect(await pairs({ thread: 'review' })).toEqual(['backend frontend', 'backend frontend'])
    const [, , last] = iris.rows('SELECT accepted_at FROM turns ORDER BY sequence')
    expect(await pairs({ since: last!['accepted_at'] })).toEqual(['backend frontend', 'backend frontend'])
    const seen: string[] = []
    let cursor: object = {}
    for (let pages = 0; pages < 4; pages += 1) {
      const page = await find(iris, 'pears', { limit: 2, ...cursor })
      seen.push(...page.hits.map(({ turnId, where }) => `${turnId} ${where}`))
      cursor = { cursor: page.nextCursor }
      if (page.nextCursor === undefined) break
    }
    expect(new Set(seen).size).toBe(6)
    expect(seen).toHaveLength(6)
    expect(cursor).toEqual({ cursor: undefined })
  })

  test('is found while the turn runs, its partial answer when it was cancelled, and all of it after a restart', async () => {
    await using iris = await start()
    const { turnId } = await ask(iris, 'backend', 'hold the zebra', { timeout: -1 })
    expect(told(await find(iris, 'zebra'))).toEqual(['message: hold the [zebra]'])
    await iris.event('turn-message', ({ message }) => JSON.stringify(message).includes('Half'))
    await callTool(iris, 'session_cancel', { turnId })
    await iris.event('turn-settled', (event) => event.turnId === turnId)
    expect(told(await find(iris, 'half'))).toEqual(['answer: [Half]'])
    await iris.restart()
    expect(told(await find(iris, 'zebra'))).toHaveLength(1)
    expect(told(await find(iris, 'half'))).toHaveLength(1)
  })
})

test('whatever is typed is words: no query is refused by the index, none finds by syntax', async () => {
  await using iris = await start()
  await ask(iris, 'backend', 'Which fields has an order?')
  const odd = [
    '"',
    '""',
    '"""',
    "'",
    '*',
    'NOT',
    'AND',
    'OR order',
    'NEAR(order fields)',
    'text: order',
    'order*',
    '-order',
    '(order',
    '^order',
    '{order}',
    'order\0fields',
    '+',
    '🎉',
    ' ',
    '',
    '%',
    '\\',
    'order AND fields',
    `${'a '.repeat(249)}b`,
    '"order fields',
    'a"b"c',
    '\u{F0001}order',
    '\uD800',
  ]
  for (const query of odd) expect(await find(iris, query)).toMatchObject({ hits: expect.any(Array) })
  expect(told(await find(iris, 'order*'))).toHaveLength(2)
  expect(told(await find(iris, 'order AND fields'))).toEqual([])
  expect(told(await find(iris, '-order'))).toHaveLength(2)
  expect(told(await find(iris, '🎉'))).toEqual([])
  expect(await refusal(iris, 'search_messages', { query: 'x'.repeat(501) })).toMatchObject({ code: 'invalid_input' })
  expect(await refusal(iris, 'search_messages', { query: 'x', cursor: 'x' })).toMatchObject({ code: 'invalid_input' })
})

describe('the index is made of the store', () => {
  test('and takes in what was there before it, while Iris serves', async () => {
    await using iris = await start()
    await ask(iris, 'backend', 'the newest')
    await iris.daemon.stop(0)
    fillStore(join(iris.world.home, 'data/team-sessions.db'), { turns: 2000 })
    await iris.restart()
    const isComplete = async () => (await find(iris, 'filler', { limit: 1 })).isIndexing === false
    await eventually(isComplete, 'all is in the index')
    expect((await find(iris, '"question 1" "filler"')).hits).toHaveLength(1)
    expect((await find(iris, 'newest')).hits).toHaveLength(2)
  })

  test('and rebuilt when it is damaged, or the store is another one', async () => {
    await using iris = await start()
    await ask(iris, 'backend', 'the first')
    expect((await find(iris, 'first')).hits).toHaveLength(2)
    const path = join(iris.world.home, 'data/search.db')
    expect(statSync(path).mode & 0o777).toBe(0o600)
    await iris.daemon.stop(0)
    truncateSync(path, 100)
    appendFileSync(path, 'x'.repeat(8000))
    await iris.restart()
    expect((await find(iris, 'first')).hits).toHaveLength(2)
    await iris.daemon.stop(0)
    fillStore(join(iris.world.home, 'data/team-sessions.db'), { turns: 1, emptied: true })
    await iris.restart()
    expect((await find(iris, 'first')).hits).toEqual([])
    expect((await find(iris, 'filler')).hits).toHaveLength(2)
  })

  test('and a named pipe in its place, for whose writer SQLite would wait, holds up nobody', async () => {
    await using iris = await start()
    await ask(iris, 'backend', 'the first')
    await iris.daemon.stop(0)
    const [store, index] = [join(iris.world.home, 'data/team-sessions.db'), join(iris.world.home, 'data/search.db')]
    rmSync(index, { force: true })
    execFileSync('mkfifo', [index])
    const search = new Search({ store, index }, systemClock)
    search.takeIn()
    await search.close()
    await iris.restart()
    expect(await refusal(iris, 'search_messages', { query: 'first' })).toMatchObject({ code: 'store_unavailable' })
    expect(await ask(iris, 'backend', 'the first')).toMatchObject({ status: 'completed' })
  })
})
