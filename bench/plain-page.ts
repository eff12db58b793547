import type { Browser, CDPSession } from 'playwright-core'

/**
 * A page that nothing watches. Playwright follows the network of its own pages, for which V8 reads the whole script again
 * at each request, and adds scripts to them: together longer tasks than the page's own.
 */
export class PlainPage implements AsyncDisposable {
  readonly #session: CDPSession
  readonly #context: string
  #target = ''
  readonly #waiting = new Map<number, PromiseWithResolvers<Reply>>()
  #last = 0

  static async open(browser: Browser): Promise<PlainPage> {
    const session = await browser.newBrowserCDPSession()
    const { browserContextId } = await session.send('Target.createBrowserContext')
    const page = new PlainPage(session, browserContextId)
    const { targetId } = await session.send('Target.createTarget', {
      url: 'about:blank',
      browserContextId,
      width: 1280,
      height: 800,
    })
    page.#target = (await session.send('Target.attachToTarget', { targetId, flatten: false })).sessionId
    return page
  }

  private constructor(session: CDPSession, context: string) {
    this.#session = session
    this.#context = context
    session.on('Target.receivedMessageFromTarget', ({ message }) => {
      const { id, result, error } = JSON.parse(message)
      const waiting = this.#waiting.get(id)
      this.#waiting.delete(id)
      if (error) waiting?.reject(new Error(error.message))
      else waiting?.resolve(result)
    })
  }

  /** A call of Chromium's protocol. */
  async send(method: string, params: object = {}): Promise<Reply> {
    this.#last += 1
    const reply = Promise.withResolvers<Reply>()
    this.#waiting.set(this.#last, reply)
    const message = JSON.stringify({ id: this.#last, method, params })
    await this.#session.send('Target.sendMessageToTarget', { sessionId: this.#target, message })
    return reply.promise
  }

  async signIn(url: string, setCookies: readonly string[]): Promise<void> {
    const cookies = setCookies.map((text) => {
      const [, name, value] = /^([^=]+)=([^;]*)/.exec(text)!
      return { name: name!, value: value!, url }
    })
    await this.#session.send('Storage.setCookies', { cookies, browserContextId: this.#context })
  }

  async evaluate(expression: string): Promise<unknown> {
    const { result, exceptionDetails } = await this.send('Runtime.evaluate', {
      expression,
      awaitPromise: true,
      returnByValue: true,
    })
    if (exceptionDetails) throw new Error(JSON.stringify(exceptionDetails))
    return result?.value
  }

  /** Waits until the page's expression is true. */
  async until(expression: string): Promise<void> {
    for (;;) {
      // While a page takes the place of another one, neither answers.
      const is = await this.evaluate(expression).catch(() => false)
      if (is === true) return
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
  }

  async press(key: string, text = key): Promise<void> {
    await this.send('Input.dispatchKeyEvent', { type: 'keyDown', key, text })
    await this.send('Input.dispatchKeyEvent', { type: 'keyUp', key })
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#session.send('Target.disposeBrowserContext', { browserContextId: this.#context })
    await this.#session.detach()
  }
}

interface Reply {
  readonly result?: { readonly value?: unknown }
  readonly exceptionDetails?: unknown
}
