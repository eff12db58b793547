import { execFileSync } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import axe, { type Result as Violation } from 'axe-core'
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core'
import type { Endpoint } from './call-tool.ts'
import { deadlineMs } from './eventually.ts'
import { scratchDirectory } from './scratch.ts'

const checkout = fileURLToPath(new URL('../..', import.meta.url))

interface Owned extends Endpoint {
  readonly world: { owner(): string }
}

interface OpenOptions {
  /** Of the dashboard: "/logs". */
  readonly path?: string
  readonly width?: number
  readonly height?: number
  readonly colorScheme?: 'light' | 'dark'
  /** Of the browser: "de-DE". */
  readonly locale?: string
  /** Rights that the person gave the page beforehand: "notifications". */
  readonly permissions?: readonly string[]
}

/** A real Chromium, with nothing in reach but this machine. One for a test file is enough: `beforeAll`. */
export class TestBrowser implements AsyncDisposable {
  readonly #browser: Browser
  readonly #home: Disposable

  /** `more`: arguments of Chromium. */
  static async start(more: readonly string[] = []): Promise<TestBrowser> {
    const home = scratchDirectory()
    const browser = await chromium.launch({
      executablePath: execFileSync(join(checkout, 'scripts/chromium'), { encoding: 'utf8' }).trim(),
      args: ['--no-sandbox', '--disable-dev-shm-usage', '--disable-gpu', ...more],
      env: { PATH: process.env['PATH'] ?? '', HOME: home.path, LANG: 'C.UTF-8' },
    })
    return new TestBrowser(browser, home)
  }

  private constructor(browser: Browser, home: Disposable) {
    this.#browser = browser
    this.#home = home
  }

  /** For pages that are opened without Playwright. */
  get itself(): Browser {
    return this.#browser
  }

  /** A tab that shows nothing yet, of a person who is not signed in. */
  async empty(address: string, options: BrowserContextOptions = {}): Promise<Tab> {
    return new Tab(await this.#newPage(options), address)
  }

  /** A tab of their own person, signed in by a link as "iris dashboard" gives one. */
  async open(
    iris: Owned,
    { path = '/', width = 1280, height = 800, colorScheme, locale, permissions }: OpenOptions = {},
  ) {
    const page = await this.#newPage({
      viewport: { width, height },
      ...(colorScheme && { colorScheme }),
      ...(locale !== undefined && { locale }),
      ...(permissions && { permissions: [...permissions] }),
    })
    const tab = new Tab(page, `http://127.0.0.1:${iris.port}`)
    const link = await loginLink(iris)
    if (path === '/') {
      await page.goto(link)
      await page.waitForURL('**/')
    } else {
      // The link leads to the inbox, which would be loaded for nothing.
      await page.context().request.get(link, { maxRedirects: 0 })
      await page.goto(tab.address + path)
    }
    // While it is being built there is another page, which loads again on its own.
    await page.locator('#app').waitFor({ state: 'attached' })
    return tab
  }

  async #newPage(options: BrowserContextOptions): Promise<Page> {
    const context = await this.#browser.newContext({ reducedMotion: 'reduce', ...options })
    context.setDefaultTimeout(deadlineMs)
    return context.newPage()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#browser.close()
    this.#home[Symbol.dispose]()
  }
}

/** One tab, and what went wrong in it unseen. */
export class Tab implements AsyncDisposable {
  readonly page: Page
  readonly address: string
  /** Errors of the page's own code, and what its policy kept out. */
  readonly troubles: string[] = []

  constructor(page: Page, address: string) {
    this.page = page
    this.address = address
    page.on('pageerror', (error) => this.troubles.push(String(error)))
    page.on('console', (message) => {
      // A daemon that is away, or a refusal that the screen shows, is no trouble of the page.
      if (
        message.type() === 'error' &&
        !/^(Failed to load resource|WebSocket connection to .* failed)/.test(message.text())
      ) {
        this.troubles.push(message.text())
      }
    })
  }

  /** Another tab of the same person. */
  async another(path: string): Promise<Tab> {
    const tab = new Tab(await this.page.context().newPage(), this.address)
    await tab.page.goto(this.address + path)
    return tab
  }

  /** Waits until the page says, in its header, that it follows the daemon; figures have a row of the same name. */
  async live(): Promise<void> {
    await this.page.getByRole('banner').getByText('Live', { exact: true }).waitFor()
  }

  /** Barriers for people who cannot see, point or distinguish colours. */
  async barriers(from: 'moderate' | 'serious' = 'serious'): Promise<string[]> {
    await this.page.evaluate(`if (window.axe === undefined) { ${axe.source} }`)
    const found: Violation[] = await this.page.evaluate('axe.run(document).then(({ violations }) => violations)')
    const impacts = ['critical', 'serious', ...(from === 'moderate' ? ['moderate'] : [])]
    const grave = found.filter(({ impact }) => impacts.includes(impact ?? ''))
    return grave.map(({ id, help, nodes }) => `${id}: ${help}: ${nodes.map(({ html }) => html).join('\n')}`)
  }

  /** Whether everything fits the width of the screen. */
  async fitsWidth(): Promise<boolean> {
    return this.page.evaluate('document.documentElement.scrollWidth <= document.documentElement.clientWidth')
  }

  /** Keeps a picture for the guide, in a run that is made for it (IRIS_SCREENSHOTS=1). */
  async keepPicture(name: string): Promise<void> {
    if (process.env['IRIS_SCREENSHOTS'] !== '1') return
    const folder = join(checkout, 'docs/guide/images')
    mkdirSync(folder, { recursive: true })
    // The path of this checkout must not appear.
    await this.page.evaluate(`for (const text of document.querySelectorAll('pre')) {
      const own = ${JSON.stringify(checkout)}
      if (text.textContent.includes(own)) text.textContent = text.textContent.replaceAll(own, '/usr/local/lib/iris/')
    }`)
    const before = this.page.viewportSize()!
    await this.page.setViewportSize({ width: Math.min(before.width, 1280), height: Math.min(before.height, 800) })
    await this.page.screenshot({ path: join(folder, `${name}.png`) })
    await this.page.setViewportSize(before)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.page.context().close()
  }
}

/** A link that signs its browser in, as "iris dashboard" gives one. */
export async function loginLink(iris: Owned): Promise<string> {
  const response = await fetch(`http://127.0.0.1:${iris.port}/login/codes`, {
    method: 'POST',
    headers: { authorization: `Bearer ${iris.world.owner()}` },
  })
  const { path } = (await response.json()) as { path: string }
  return `http://127.0.0.1:${iris.port}${path}`
}
