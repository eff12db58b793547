import { setTimeout as delay } from 'node:timers/promises'

/** Where Node's inspector listens in a process that received SIGUSR1. */
const inspector = 'http://127.0.0.1:9229/json/list'
const answerMs = 5000
/** From Node's timers to the callback of one it takes about sixty, and each takes 50 ms. */
const maxSteps = 200

const isForeign = (place: string): boolean => /node:|node_modules|^$/.test(place)

interface Paused {
  readonly callFrames: readonly { readonly callFrameId: string; readonly location: { readonly scriptId: string } }[]
}

/**
 * What a Node process runs right now, asked through its inspector, which answers even while a loop blocks the process. A
 * process that waits has no stack, so it is followed to its next callback. One process at a time, because all of them use the same
 * port. The process must end afterwards.
 */
export async function stacksOf(pid: number): Promise<string> {
  try {
    process.kill(pid, 'SIGUSR1')
    await using session = await Session.open()
    const resources = await session.valueOf('Runtime.evaluate', {
      expression: 'process.getActiveResourcesInfo().join(", ")',
    })
    const paused = session.event<Paused>('Debugger.paused')
    await session.ask('Debugger.enable')
    await session.ask('Debugger.pause')
    const stack = await session.stackAt(await paused)
    return `${stack}\nIt has open: ${resources}`
  } catch (error) {
    return `No stack: ${String(error)}`
  }
}

interface Message {
  readonly id?: number
  readonly method?: string
  readonly result?: unknown
  readonly params?: { readonly scriptId?: string; readonly url?: string }
}

/** The few messages of the inspector's protocol that are needed. */
class Session implements AsyncDisposable {
  readonly #socket: WebSocket
  readonly #answers = new Map<number | string, (value: unknown) => void>()
  /** Of all scripts, by their ids. */
  readonly #urls = new Map<string, string>()
  #asked = 0

  static async open(): Promise<Session> {
    const until = performance.now() + answerMs
    for (;;) {
      try {
        const response = await fetch(inspector)
        const [target] = (await response.json()) as { readonly webSocketDebuggerUrl: string }[]
        const socket = new WebSocket(target!.webSocketDebuggerUrl)
        await new Promise((resolve, reject) => {
          socket.addEventListener('open', resolve)
          socket.addEventListener('error', () => reject(new Error('the inspector refuses')))
        })
        return new Session(socket)
      } catch (error) {
        if (performance.now() > until) throw error
        await delay(100)
      }
    }
  }

  private constructor(socket: WebSocket) {
    this.#socket = socket
    socket.addEventListener('message', ({ data }) => {
      const message = JSON.parse(String(data)) as Message
      const { scriptId, url } = message.params ?? {}
      if (scriptId !== undefined && url !== undefined) this.#urls.set(scriptId, url)
      this.#answers.get(message.id ?? message.method ?? '')?.(message.result ?? message.params)
    })
  }

  /** Undefined if there is none in time. */
  event<T>(name: number | string): Promise<T | undefined> {
    return Promise.race([
      new Promise<T>((resolve) => this.#answers.set(name, resolve as (value: unknown) => void)),
      delay(answerMs, undefined, { ref: false }),
    ])
  }

  async ask<T>(method: string, params: object = {}): Promise<T | undefined> {
    const id = ++this.#asked
    const answer = this.event<T>(id)
    this.#socket.send(JSON.stringify({ id, method, params }))
    return answer
  }

  /** A pause in Node's own code continues, step by step, to the code that it calls. */
  async stackAt(paused: Paused | undefined): Promise<string> {
    let at = paused
    for (let steps = 0; at !== undefined && steps < maxSteps; steps += 1) {
      if (at.callFrames.some(({ location }) => !isForeign(this.#urls.get(location.scriptId) ?? '')))
        return this.#stackIn(at)
      const next = this.event<Paused>('Debugger.paused')
      await this.ask('Debugger.stepInto')
      at = await next
    }
    return 'It waits: none of its functions runs.'
  }

  async #stackIn({ callFrames }: Paused): Promise<string> {
    const stack = await this.valueOf('Debugger.evaluateOnCallFrame', {
      callFrameId: callFrames[0]!.callFrameId,
      expression: '(Error.stackTraceLimit = 100, new Error("It runs:").stack)',
    })
    return stack
      .split('\n')
      .filter((line) => !isForeign(line) && !/at (eval|new Promise) /.test(line))
      .join('\n')
  }

  async valueOf(method: string, params: object): Promise<string> {
    const answer = await this.ask<{ readonly result: { readonly value?: string } }>(method, params)
    return answer?.result.value ?? 'no answer'
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#socket.close()
  }
}
