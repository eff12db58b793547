import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Script } from '../../src/app/demo/script.ts'
import { type Tab, TestBrowser } from '../support/browser.ts'
import { ask } from '../support/call-tool.ts'
import { eventually } from '../support/eventually.ts'
import { TestIris } from '../support/iris.ts'
import { questionOf } from '../support/owner.ts'
import { isBrief } from '../support/tier.ts'
import { spoken } from '../support/world.ts'
import { xssPayloads } from '../support/xss-payloads.ts'

const isPlain = (text: string) => !/[\p{Cc}]/u.test(text.replaceAll('\n', ''))
const chunks = Array.from({ length: 10 }, (_, index) => xssPayloads.filter((_each, at) => at % 10 === index))
const textOf = (chunk: readonly string[]) => chunk.join('\n\n')

/** A command that prints the text, and that nobody may run without asking. */
const printing = (text: string) => `touch printed && cat <<'END_OF_TEXT'\n${text}\nEND_OF_TEXT`

/** Says, thinks and does with its tools what it learns. */
const script: Script = ({ conversation: { lastUserText, toolResults } }) => {
  const text = spoken(lastUserText)
  if (toolResults.length > 0) return { text }
  const input = { command: printing(text), description: text.slice(0, 200) }
  return { thinking: text, text, toolUses: [{ name: 'Bash', input }] }
}

let iris: TestIris
let browser: TestBrowser
let sessionId: string
let turnId: string
let tab: Tab
let watch: Watch
beforeAll(async () => {
  const described = chunks.map((chunk, index) => {
    // A variable of config.yaml begins as a template does.
    const description = chunk
      .filter(isPlain)
      .join(' ')
      .replaceAll('${', () => '$${')
    return [`described${index}`, { description }] as const
  })
  const teams = {
    backend: { grantPermission: 'yes', dangerous: true },
    asking: { grantPermission: 'ask' },
    ...Object.fromEntries(described),
  }
  iris = await TestIris.start({ claude: 'fake', script, teams })
  browser = await TestBrowser.start()
  for (const chunk of chunks) {
    const answer = await ask(iris, 'backend', textOf(chunk), { timeout: 0 })
    turnId = answer.turnId
    sessionId = answer.sessionId!
  }
  for (const [index, chunk] of chunks.entries()) {
    if (index % 4 === 0) await ask(iris, 'asking', textOf(chunk), { timeout: -1, thread: `q${index}` })
  }
  await questionOf(iris, 'asking')
  const { recentLog } = iris.daemon.parts
  for (const message of xssPayloads) recentLog.add({ level: 'warn', context: message.slice(0, 40), message, ids: {} })
  tab = await browser.open(iris)
  watch = new Watch(tab.page, tab.address)
}, 180_000)
afterAll(async () => {
  await browser[Symbol.asyncDispose]()
  await iris[Symbol.asyncDispose]()
})

/** Things a page must not do. */
class Watch {
  readonly actions: string[] = []

  constructor(page: Page, own: string) {
    page.on('dialog', (dialog) => {
      this.actions.push(`shows the dialog "${dialog.message()}"`)
      // The next payload may have closed it.
      dialog.dismiss().catch(() => {})
    })
    page.on('request', (request) => {
      const { origin, protocol } = new URL(request.url())
      if (protocol !== 'data:' && origin !== own) this.actions.push(`asks for ${request.url()}`)
    })
    page.on('popup', (opened) => this.actions.push(`opens ${opened.url()}`))
  }
}

/** Whatever of a page would run or fetch something, had it come from a text. */
const suspicious = `(() => {
  const found = window.xss ? ['window.xss is ' + window.xss] : []
  for (const each of document.querySelectorAll('*')) {
    const { tagName } = each
    if (tagName === 'SCRIPT' && !each.src.startsWith(location.origin + '/assets/')) found.push(each.outerHTML)
    if (/^(IFRAME|OBJECT|EMBED|BASE|MATH|MARQUEE|VIDEO|AUDIO)$/i.test(tagName)) found.push(each.outerHTML)
    for (const { name, value } of each.attributes) {
      if (name.startsWith('on') || name === 'srcdoc') found.push(name + '=' + value)
      if (!/^(href|src|action|formaction|xlink:href|data|srcset)$/.test(name)) continue
      if (!/^(https?:|[/]|#)/.test(value)) found.push(tagName + ' ' + name + '=' + value)
    }
  }
  return found
})()`

/** Opens what is folded, and looks at all of what scrolls. */
async function lookAtAll({ page }: Tab): Promise<void> {
  await page.evaluate("for (const each of document.querySelectorAll('details')) each.open = true")
  const folded = page.locator('main [aria-expanded=false]:visible')
  for (let left = Math.min(await folded.count(), 12); left > 0; left -= 1) {
    const next = folded.first()
    if (await next.isVisible()) await next.click({ timeout: 2000 }).catch(() => {})
    await page.keyboard.press('Escape')
  }
  await page.evaluate("for (const each of document.querySelectorAll('details')) each.open = true")
  for (const by of [-1500, 1500]) {
    for (let step = 0; step < 12; step += 1) await page.mouse.wheel(0, by)
  }
}

test('there are a hundred of them, and they do run where text becomes a page', { tags: ['thorough'] }, async () => {
  expect(new Set(xssPayloads).size).toBe(100)
  // A browser of its own: with so many dialogs at once it may well give up.
  await using careless = await TestBrowser.start()
  const other = await careless.open(iris)
  const page = await other.page.context().newPage()
  const watch = new Watch(page, 'about:blank')
  const frames = xssPayloads.map(
    (each) => `<iframe srcdoc="${each.replaceAll('&', '&amp;').replaceAll('"', '&quot;')}">`,
  )
  await page.setContent(frames.join('</iframe>'), { waitUntil: 'commit' })
  await eventually(() => watch.actions.filter((action) => action.includes('dialog')).length > 20, 'they run')
  expect(watch.actions.some((action) => action.startsWith('asks for http://127.0.0.1:9/'))).toBe(true)
})

describe('none of them is more than text', () => {
  /** The screens that are made of texts, and those where one occurs. */
  const full = [
    ['/conversations/:session', /mark9\b/],
    ['/permissions', /mark0\b/],
    ['/logs', /mark\d+/],
    ['/configuration', undefined],
  ] as const
  const others = ['/', '/conversations', '/traces', '/traces/:turn', '/daemon', '/statistics', '/debug'] as const
  const screens = [...full, ...(isBrief ? [] : others.map((route) => [route, undefined] as const))]
  test.each(screens)('at %s', async (route, shown) => {
    const path = route.replace(':session', sessionId).replace(':turn', turnId)
    await tab.page.goto(tab.address + path)
    await tab.live()
    if (shown) await tab.page.getByText(shown).locator('visible=true').first().waitFor()
    await lookAtAll(tab)
    expect(await tab.page.evaluate(suspicious)).toEqual([])
    expect(watch.actions).toEqual([])
    expect(tab.troubles).toEqual([])
  })
})
