import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { parentPort, workerData } from 'node:worker_threads'
import { systemClock } from '../../../base/lib/clock.ts'
import { sha256 } from '../../../base/lib/sha256.ts'
import { ownTraceId, traceParentOf } from '../../../base/lib/traceparent.ts'
import { SpanRows } from '../rows/span-rows.ts'
import { groupOf, hungUnderTurns, type Sender, type Signal, signals } from './claude-telemetry.ts'
import { post } from './post.ts'
import type { ReceiverMessage, ReceiverWork, SenderChange } from './receiver.ts'

/** The most bytes of one request. */
const maxBytes = 1024 * 1024
/** The most bytes of all requests that are being read, and of all records that are waiting. */
const maxReading = 8 * maxBytes
const maxWaiting = 8 * maxBytes
/** One process may fill a quarter of `maxWaiting`. */
const maxOfOne = maxWaiting / 4
const restMs = 1000
const maxAgeMs = 86_400_000

interface Waiting {
  readonly signal: Signal
  readonly from: string
  readonly text: string
  readonly records: number
}

// Runs in a separate thread, so that nothing here can slow down or lose a message.
const { store, endpoint, headers, port, proxy } = workerData as ReceiverWork
const rows = new SpanRows(store)
const senders = new Map<string, NonNullable<SenderChange['sender']>>()
const counts = { sent: 0, dropped: 0, refused: 0 }
let waiting: Waiting[] = []
let reading = 0
let isSending = false
let stopRest: (() => void) | undefined

parentPort?.on('message', ({ hash, sender }: SenderChange) => {
  if (sender === undefined) senders.delete(hash)
  else senders.set(hash, sender)
})

const server = createServer((request, response) => {
  const answer = (status: number): void =>
    void response.writeHead(status, { 'content-type': 'application/json' }).end('{}')
  const signal = signals.find((each) => request.url === `/v1/${each}`)
  const [, token = ''] = /^Bearer (\S+)$/.exec(request.headers.authorization ?? '') ?? []
  const hash = sha256(token)
  if (!senders.has(hash)) return refuse(request, response, 401)
  if (signal === undefined || request.method !== 'POST') return refuse(request, response, 404)
  if (!/^application\/json\b/.test(request.headers['content-type'] ?? '')) return refuse(request, response, 415)
  const parts: Buffer[] = []
  let size = 0
  const forget = (): void => {
    reading -= size
    size = 0
  }
  request.on('data', (part: Buffer) => {
    size += part.length
    reading += part.length
    parts.push(part)
    if (size > maxBytes) refuse(request, response, 413)
    else if (reading > maxReading) refuse(request, response, 429)
  })
  request.on('close', forget)
  request.on('end', () => {
    answer(take(signal, hash, Buffer.concat(parts).toString()) ? 200 : 400)
  })
})
server.maxConnections = 256
server.requestTimeout = 20_000
server.headersTimeout = 10_000
server.listen(port, '127.0.0.1', () => say({ port: (server.address() as AddressInfo).port }))

function refuse(request: IncomingMessage, response: ServerResponse, status: number): void {
  request.removeAllListeners('data').removeAllListeners('end')
  response.writeHead(status, { connection: 'close' }).end(() => request.destroy())
}

/** False if the text is not JSON, or if its sender is unknown. */
function take(signal: Signal, hash: string, text: string): boolean {
  const sender = senders.get(hash)
  if (sender === undefined) return false
  let body: unknown
  try {
    body = JSON.parse(text)
  } catch {
    return false
  }
  const { resource, taken, refused } = hungUnderTurns(signal, body, { ...sender, turnAt: turnAt(sender) })
  counts.refused += refused
  if (resource !== undefined) keep({ signal, from: hash, text: JSON.stringify(resource), records: taken })
  stopRest ??= systemClock.after(restMs, () => {
    stopRest = undefined
    void send()
  })
  return true
}

const turnAt =
  ({ sessionId }: NonNullable<SenderChange['sender']>): Sender['turnAt'] =>
  (at) => {
    // Each look-up reads all the conversation's turns since `at`.
    if (Math.abs(systemClock.now() - at) > maxAgeMs) return undefined
    const turn = rows.turnAt(sessionId, at)
    const foreign = turn && traceParentOf(turn.traceparent)
    // The caller does not record the trace.
    if (turn === undefined || foreign?.isSampled === false) return undefined
    return { id: turn.id, traceId: foreign?.traceId ?? ownTraceId(turn.root) }
  }

function keep(one: Waiting): void {
  const bytes = (of: readonly Waiting[]): number => of.reduce((sum, { text }) => sum + text.length, one.text.length)
  if (bytes(waiting) > maxWaiting || bytes(waiting.filter(({ from }) => from === one.from)) > maxOfOne)
    counts.dropped += one.records
  else waiting.push(one)
}

async function send(): Promise<void> {
  if (isSending) return
  isSending = true
  let problem: string | undefined
  while (waiting.length > 0) {
    const batch = waiting
    waiting = []
    for (const signal of signals) {
      const of = batch.filter((each) => each.signal === signal)
      if (of.length === 0) continue
      const records = of.reduce((sum, each) => sum + each.records, 0)
      const body = `{"${groupOf(signal)}":[${of.map(({ text }) => text).join(',')}]}`
      const to = endpoint.replace(/\/v1\/traces$/, `/v1/${signal}`)
      // An endpoint with another path takes traces only.
      const failed =
        signal !== 'traces' && to === endpoint
          ? 'it has no path for logs and metrics'
          : await post(to, headers, body, proxy)
      if (failed === undefined) counts.sent += records
      else {
        counts.dropped += records
        problem = failed
      }
    }
  }
  isSending = false
  say({ ...counts, problem })
}

function say(message: ReceiverMessage): void {
  parentPort?.postMessage(message)
}
