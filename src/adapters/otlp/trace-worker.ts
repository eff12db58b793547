import { parentPort, workerData } from 'node:worker_threads'
import { irisVersion } from '../../base/protocol/version.ts'
import { SpanRows } from '../../platform/store/span-rows.ts'
import { names } from './semantic-names.ts'
import { attributes, spansOf } from './spans.ts'
import type { TraceBatch, TraceReport, TraceWork } from './trace-export.ts'

/** Of one turn. */
const mostParts = 500
const patienceMs = 10_000

// A thread of its own: whatever happens here, no message is slower or lost.
const { store, endpoint, headers } = workerData as TraceWork
const rows = new SpanRows(store)

parentPort?.on('message', (batch: TraceBatch) => {
  void send(batch).then((report) => parentPort?.postMessage(report))
})

async function send({ turns }: TraceBatch): Promise<TraceReport> {
  const spans = turns.flatMap((id) => {
    const turn = rows.turn(id)
    return turn === undefined ? [] : spansOf(turn, rows.tools(id, mostParts), rows.questions(id, mostParts))
  })
  if (spans.length === 0) return { sent: 0, dropped: turns.length, problem: undefined }
  const resource = attributes({ [names.service]: 'iris', [names.serviceVersion]: irisVersion })
  const scope = { name: 'iris', version: irisVersion }
  const body = JSON.stringify({
    resourceSpans: [{ resource: { attributes: resource }, scopeSpans: [{ scope, spans }] }],
  })
  try {
    const response = await fetch(endpoint, {
      ...{ method: 'POST', body, redirect: 'error', signal: AbortSignal.timeout(patienceMs) },
      headers: { 'content-type': 'application/json', ...headers },
    })
    await response.body?.cancel()
    if (response.ok) return { sent: turns.length, dropped: 0, problem: undefined }
    return { sent: 0, dropped: turns.length, problem: `it answered with ${response.status}` }
  } catch (error) {
    return { sent: 0, dropped: turns.length, problem: error instanceof Error ? error.message : String(error) }
  }
}
