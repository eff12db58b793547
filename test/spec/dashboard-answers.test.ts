import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { heldText, overloadedFailure, type Script } from '../../src/app/demo/script.ts'
import { type Tab, TestBrowser } from '../support/browser.ts'
import { ask } from '../support/call-tool.ts'
import { TestIris } from '../support/iris.ts'
import { count, evaluates, reads } from '../support/page-waits.ts'
import { spoken } from '../support/world.ts'

/** Where an answer may be cut while it is written, and how it continues: as text these look like something else. */
const cuts: readonly (readonly [before: string, after: string])[] = [
  ['**bold te', 'xt** and on.'],
  ['`code te', 'xt` and on.'],
  ['[a link](https://exa', 'mple.org/page) and on.'],
  ['| head | second', ' |\n|---|---|\n| 1 | 2 |\n| 3 | 4 |'],
  ['```ts\nconst a', ' = 1\nconst b = 2\n```'],
  ['Items\n-', ' one\n- two\n- three'],
  ['Numbers\n\n1', '. first\n2. second'],
  ['#', '# A heading'],
]
const filler = Array.from({ length: 11 }, (_, line) => `Line ${line} says something that is worth a line.`).join('\n\n')
const pieces = cuts.map(([before], at) => {
  const after = at === 0 ? '' : cuts[at - 1]![1]
  return `${after}\n\nMark ${at}.\n\n${filler}\n\n${before}`
})

let gates: PromiseWithResolvers<void>[] = []
const open = Promise.withResolvers<void>()

async function* long(): AsyncGenerator<string> {
  for (const [at, piece] of pieces.entries()) {
    yield piece
    await gates[at]!.promise
  }
  yield `${cuts.at(-1)![1]}\n\nThe end.`
}

const script: Script = ({ conversation: { lastUserText } }) => {
  const said = spoken(lastUserText)
  if (said === 'long') return { stream: long() }
  if (said === 'hold') return { stream: heldText('It is **half** done, ', open.promise, 'and whole.') }
  if (said === 'fails') return overloadedFailure
  return {
    text: said === 'wide' ? `${'word '.repeat(200)}\n\n\`\`\`\n${'code '.repeat(60)}\n\`\`\`` : `You said: ${said}`,
  }
}

let iris: TestIris
let browser: TestBrowser
beforeAll(async () => {
  const env = { CLAUDE_CODE_MAX_RETRIES: '0' }
  iris = await TestIris.start({ claude: 'fake', script, teams: { frontend: {}, backend: { env } } })
  browser = await TestBrowser.start()
})
afterAll(async () => {
  open.resolve()
  for (const { resolve } of gates) resolve()
  await browser[Symbol.asyncDispose]()
  await iris[Symbol.asyncDispose]()
})

// In the page.
const widthOf = (element: object): number => Number(Reflect.get(element, 'clientWidth'))
const styleOf = (element: object, name: string): string => {
  const styles = (Reflect.get(globalThis, 'getComputedStyle') as (of: object) => object)(element)
  return String(Reflect.get(styles, name))
}

const turn = ({ page }: Tab, message: string) => page.getByRole('article').filter({ hasText: message }).last()
const field = (page: Page) => page.getByRole('textbox', { name: 'Message to backend' })

/** Opens the conversation with the backend, in which something was said before. */
async function opened(thread: string): Promise<Tab> {
  const { sessionId } = await ask(iris, 'backend', `before ${thread}`, { thread })
  const tab = await browser.open(iris, { path: `/conversations/${sessionId}` })
  await tab.live()
  await tab.page.getByText(`You said: before ${thread}`).waitFor()
  return tab
}

test('an answer is Markdown while it is written, and nothing that was read moves', async () => {
  gates = pieces.map(() => Promise.withResolvers<void>())
  await using tab = await opened('long')
  const { page } = tab
  await page.evaluate(`
    window.shifts = []
    new PerformanceObserver((list) => {
      for (const { value, hadRecentInput, sources } of list.getEntries())
        if (!hadRecentInput) window.shifts.push([value, ...sources.map(({ node }) => node?.outerHTML?.slice(0, 200) ?? node?.textContent)])
    }).observe({ type: 'layout-shift' })`)
  await ask(iris, 'backend', 'long', { thread: 'long', timeout: -1 })
  const answer = turn(tab, 'long')
  for (const [at, gate] of gates.entries()) {
    await answer.getByText(`Mark ${at}.`).waitFor()
    gate.resolve()
  }
  await answer.getByText('The end.').waitFor()
  await answer.getByText('completed', { exact: true }).waitFor()
  for (const what of ['strong', 'table', 'pre', 'ul', 'ol', 'a[href="https://example.org/page"]'])
    await answer.locator(what).first().waitFor()
  expect(await page.evaluate('window.shifts')).toEqual([])
  expect(tab.troubles).toEqual([])
})

test('an answer that was stopped stays as it was, and is no failure in red', async () => {
  await using tab = await opened('stopped')
  const { page } = tab
  await field(page).fill('hold')
  await field(page).press('Enter')
  const answer = turn(tab, 'hold')
  await answer.locator('strong', { hasText: 'half' }).waitFor()
  await page.getByRole('button', { name: 'Stop' }).click()
  const ended = answer.getByText('Stopped.', { exact: true })
  await ended.waitFor()
  await answer.locator('strong', { hasText: 'half' }).waitFor()
  const colours = await page.evaluate(`['--bad', '--muted'].map((name) => {
    const probe = document.body.appendChild(document.createElement('i'))
    probe.style.color = 'var(' + name + ')'
    return getComputedStyle(probe).color
  })`)
  const colour = await ended.evaluate(styleOf, 'color')
  expect(colours).toEqual([expect.not.stringMatching(colour.replaceAll(/[()]/g, '.')), colour])
  expect(await tab.barriers()).toEqual([])
})

test('a failure says what happened and what to do, with the details folded', async () => {
  await using tab = await opened('failure')
  await ask(iris, 'backend', 'fails', { thread: 'failure' })
  const failed = turn(tab, 'fails')
  await failed.getByText("The model's API is overloaded.").waitFor()
  await failed.getByText('Retry later.').waitFor()
  await failed.getByRole('button', { name: 'Retry' }).waitFor()
  const detail = failed.locator('details', { hasText: 'Details' }).getByText(/overloaded|529/i)
  await detail.waitFor({ state: 'hidden' })
  await failed.locator('summary', { hasText: 'Details' }).click()
  await detail.waitFor()
  expect(await tab.barriers()).toEqual([])
})

test('below an answer is one line, and what else is known of it is folded', async () => {
  await using tab = await opened('line')
  const answer = turn(tab, 'before line')
  await answer.getByText(/^\d[\d.]* (ms|sec)( · \$[\d.]+)?$/).waitFor()
  await count(answer.getByText('accepted'), 0)
  await answer.getByRole('button', { name: 'Details' }).click()
  await answer.getByText(/^accepted \d/).waitFor()
  await answer.getByText(/tokens in/).waitFor()
})

test('Enter sends and Shift+Enter makes a line, or the other way round', async () => {
  await using tab = await opened('keys')
  const { page } = tab
  await field(page).fill('one')
  await field(page).press('Shift+Enter')
  await reads(field(page), 'value', 'one\n')
  await page.keyboard.type('two')
  await field(page).press('Enter')
  await page.getByText('You said: one two').waitFor()
  await reads(field(page), 'value', '')
  await page.getByRole('button', { name: 'Swap' }).click()
  await page.getByText('Shift+Enter sends').waitFor()
  await field(page).fill('three')
  await field(page).press('Enter')
  await reads(field(page), 'value', 'three\n')
  await field(page).press('Shift+Enter')
  await page.getByText('You said: three').waitFor()
})

test('prose is as wide as it is read well, code as wide as there is room, and each writing begins on its own side', async () => {
  await using tab = await opened('wide')
  const { page } = tab
  await ask(iris, 'backend', 'wide', { thread: 'wide' })
  const answer = turn(tab, 'wide')
  const widths = (selector: string) => answer.locator(selector).first().evaluate(widthOf)
  await answer.locator('pre').waitFor()
  await page.evaluate(`
    const probe = document.body.appendChild(document.createElement('p'))
    probe.id = 'ch'
    probe.style.width = '72ch'`)
  const measure = await page.locator('#ch').evaluate(widthOf)
  expect(await widths('p:has-text("word word")')).toBeLessThanOrEqual(measure)
  expect(await widths('pre')).toBeGreaterThan(measure)
  await ask(iris, 'backend', 'שלום world', { thread: 'wide' })
  for (const text of [/^שלום world$/, /^You said: שלום world$/]) await page.getByText(text).waitFor()
  const direction = (text: RegExp) => page.getByText(text).evaluate(styleOf, 'direction')
  expect(await Promise.all([/^שלום world$/, /^You said: שלום/].map(direction))).toEqual(['rtl', 'ltr'])
})

test('a conversation of two other teams has no field: what is written there would not be part of it', async () => {
  const { sessionId } = await ask(iris, 'backend', 'between us', { fromTeam: 'frontend' })
  await using tab = await browser.open(iris, { path: `/conversations/${sessionId}` })
  const { page } = tab
  await page.getByText('You said: between us').waitFor()
  await count(page.getByRole('textbox'), 0)
  await page.getByRole('button', { name: 'Message backend as yourself' }).click()
  const dialog = page.getByRole('dialog', { name: 'Message to backend' })
  await dialog.getByText('Sent as you.').waitFor()
  await dialog.getByRole('textbox', { name: 'Message', exact: true }).fill('as myself')
  // People write long first messages here.
  await page.keyboard.press('Enter')
  await page.keyboard.press('Control+Enter')
  await page.getByText('You said: as myself').waitFor()
  await evaluates(page, `location.pathname.endsWith(${JSON.stringify(sessionId)})`, false)
})
