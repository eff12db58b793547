import { type ChildProcess, spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import type { Endpoint } from '../test/support/call-tool.ts'
import { timed } from './measure.ts'

/** How long an operation took, and how long it kept every other caller waiting, milliseconds. */
export interface Held {
  readonly took: number
  readonly held: number
}

/** Calls a tool that does nothing, again and again, from a process of its own, so that only the daemon holds it up. */
export class OtherCaller implements Disposable {
  readonly #child: ChildProcess
  readonly #answers: AsyncIterator<string>

  private constructor(child: ChildProcess) {
    this.#child = child
    this.#answers = createInterface({ input: child.stdout! })[Symbol.asyncIterator]()
  }

  static async start({ port, token }: Endpoint): Promise<OtherCaller> {
    const stdio: ['pipe', 'pipe', 'inherit'] = ['pipe', 'pipe', 'inherit']
    const other = new OtherCaller(spawn(process.execPath, ['-e', program, String(port), token], { stdio }))
    // Its first calls compile the code on both sides.
    for (let round = 0; round < 3; round += 1) await other.#longest()
    return other
  }

  async during(work: () => Promise<unknown>): Promise<Held> {
    await this.#longest()
    const took = await timed(work)
    return { took, held: await this.#longest() }
  }

  [Symbol.dispose](): void {
    this.#child.kill()
  }

  /** The longest call since the last question. One that is under way at the question counts. */
  async #longest(): Promise<number> {
    this.#child.stdin!.write('\n')
    return Number((await this.#answers.next()).value)
  }
}

const program = `
  const http = require('node:http')
  const [port, token] = process.argv.slice(1)
  const body = '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"get_date","arguments":{}}}'
  const agent = new http.Agent({ keepAlive: true })
  const headers = { authorization: 'Bearer ' + token, 'content-type': 'application/json',
    accept: 'application/json, text/event-stream', 'content-length': body.length }
  let longest = 0
  let asked = 0
  process.stdin.on('data', () => { asked += 1 })
  process.stdin.on('end', () => process.exit())
  const call = () => {
    const began = performance.now()
    const wanted = asked
    http.request({ host: '127.0.0.1', port, path: '/mcp', method: 'POST', headers, agent }, (answer) =>
      answer.resume().on('end', () => {
        longest = Math.max(longest, performance.now() - began)
        // A call that began before the question answers it.
        if (asked > 0) {
          console.log(longest)
          asked -= 1
          longest = 0
        }
        setTimeout(call, 1)
      })).end(body)
  }
  call()`
