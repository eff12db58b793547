import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { LineConnection } from '../src/adapters/client/line-connection.ts'
import { toolCall } from '../src/adapters/client/tool-call.ts'
import { processorMs } from './daemon-figures.ts'
import { HttpCaller } from './http-caller.ts'
import { ms, summarize, timed } from './measure.ts'
import type { Row } from './row.ts'
import { type Setting, setting } from './setting.ts'

const rounds = 8
const callsARound = 50
const together = 40
const atOnce = 2000
/** A client that has no answer by then has given up. */
const patienceMs = 10_000

/** One call of a tool that does nothing, over a connection of its own. */
type NewCall = () => Promise<unknown>

/** P14: what a new connection costs the daemon, and how long callers wait that come together: over TCP, and by the socket. */
export async function callers(): Promise<readonly Row[]> {
  await using iris = await setting({ fake: true })
  for (let warm = 0; warm < 300; warm++) await iris.caller.call('get_date', {})
  const fresh = new HttpCaller(iris.daemon, { keepAlive: false, maxSockets: atOnce })
  const overTcp: NewCall = () => fresh.call('get_date', {})
  const path = join(iris.world.home, 'daemon.sock')
  const bySocket: NewCall = async () => {
    const lines = await LineConnection.open({ path, token: iris.daemon.token })
    await lines!.request(toolCall(1, 'get_date', {}), AbortSignal.timeout(patienceMs))
    lines!.close()
  }
  const rows = [
    await newConnection(iris, 'over TCP', overTcp),
    await newConnection(iris, 'by the socket', bySocket),
    await beginTogether(iris, 'over TCP', String(iris.daemon.port)),
    await beginTogether(iris, 'by the socket', path),
    await manyAtOnce('over TCP', overTcp),
    await manyAtOnce('by the socket', bySocket),
  ]
  fresh.close()
  return rows
}

async function newConnection({ daemon, caller }: Setting, way: string, call: NewCall): Promise<Row> {
  const used = { fresh: 0, kept: 0 }
  for (let round = 0; round < rounds; round++) {
    for (const [side, by] of [
      ['fresh', call],
      ['kept', () => caller.call('get_date', {})],
    ] as const) {
      const before = processorMs(daemon.pid)
      for (let each = 0; each < callsARound; each++) await by()
      used[side] += processorMs(daemon.pid) - before
    }
  }
  const [a, b] = [used.fresh, used.kept].map((all) => all / (rounds * callsARound)) as [number, number]
  return {
    id: 'P14',
    what: `processor of the daemon for a call over a new connection, ${way}`,
    measured: `${ms(a)}  (over a kept one, HTTP: ${ms(b)}, n=${rounds * callsARound})`,
    aim: '≤ 2 ms',
    data: used,
  }
}

/** Each a process of its own, started before. */
async function beginTogether({ daemon }: Setting, way: string, at: string): Promise<Row> {
  const children = Array.from({ length: together }, () =>
    spawn(process.execPath, ['-e', oneCall, at, daemon.token], { stdio: ['pipe', 'pipe', 'inherit'] }),
  )
  await Promise.all(children.map((child) => once(child.stdout, 'data')))
  const waited = children.map(async (child) => Number(String((await once(child.stdout, 'data'))[0])))
  for (const child of children) child.stdin.end('go')
  const times = await Promise.all(waited)
  return {
    id: 'P14',
    what: `${together} processes that call together, ${way}: the last one waits`,
    measured: `${ms(Math.max(...times))}  (p50 ${ms(summarize(times).p50)})`,
    aim: 'reported',
    data: { times },
  }
}

async function manyAtOnce(way: string, call: NewCall): Promise<Row> {
  let timedOut = 0
  const one = async (): Promise<void> => {
    const late = AbortSignal.timeout(patienceMs)
    const gaveUp = new Promise<'late'>((resolve) => late.addEventListener('abort', () => resolve('late')))
    if ((await Promise.race([call().catch(() => 'late'), gaveUp])) === 'late') timedOut += 1
  }
  const took = await timed(() => Promise.all(Array.from({ length: atOnce }, one)))
  return {
    id: 'P14',
    what: `${atOnce} calls at once, ${way}: without an answer after ${patienceMs / 1000} s`,
    measured: `${timedOut}  (all of them ${ms(took)})`,
    aim: '0',
    data: { timedOut, took },
  }
}

/** Says that it is there, waits for the end of its stdin, calls, and says how long that took. */
const oneCall = `
  const [http, net] = [require('node:http'), require('node:net')]
  const [at, token] = process.argv.slice(1)
  const body = '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"get_date","arguments":{}}}'
  const headers = { authorization: 'Bearer ' + token, 'content-type': 'application/json',
    accept: 'application/json, text/event-stream', 'content-length': body.length }
  process.stdin.resume().on('end', () => {
    const began = performance.now()
    const answered = () => { console.log(performance.now() - began); process.exit() }
    if (at.startsWith('/')) {
      let heard = ''
      const socket = net.connect(at).on('data', (chunk) => {
        heard += chunk
        if (heard.split('\\n').length > 2) answered()
      })
      socket.write(JSON.stringify({ token }) + '\\n' + body + '\\n')
    } else http.request({ host: '127.0.0.1', port: at, path: '/mcp', method: 'POST', headers, agent: false },
      (answer) => answer.resume().on('end', answered)).end(body)
  })
  console.log('there')`
