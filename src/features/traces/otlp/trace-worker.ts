import { parentPort, workerData } from 'node:worker_threads'
import { lowerPriority } from '../../../base/lib/low-priority.ts'
import { irisVersion } from '../../../base/protocol/version.ts'
import { SpanRows } from '../rows/span-rows.ts'
import { post } from './post.ts'
import { names } from './semantic-names.ts'
import { attributes, spansOf } from './spans.ts'
import type { TraceBatch, TraceReport, TraceWork } from './trace-export.ts'

/** The most parts of one turn. */
const maxParts = 500

// Runs in a separate thread, so that nothing here can slow down or lose a message.
lowerPriority()
const { store, endpoint, headers, proxy } = workerData as TraceWork
const rows = new SpanRows(store)

parentPort?.on('message', (batch: TraceBatch) => {
  void send(batch).then((report) => parentPort?.postMessage(report))
})

async function send({ turns }: TraceBatch): Promise<TraceReport> {
  const known = turns.flatMap((id) => rows.turn(id) ?? [])
  const ofTurns = known.map((turn) => spansOf(turn, rows.tools(turn.id, maxParts), rows.questions(turn.id, maxParts)))
  const spans = ofTurns.flat()
  const unknown = turns.length - known.length
  if (spans.length === 0) return { sent: 0, dropped: unknown, problem: undefined }
  const resource = attributes({ [names.service]: 'iris', [names.serviceVersion]: irisVersion })
  const scope = { name: 'iris', version: irisVersion }
  const body = JSON.stringify({
    resourceSpans: [{ resource: { attributes: resource }, scopeSpans: [{ scope, spans }] }],
  })
  const problem = await post(endpoint, headers, body, proxy)
  const isSent = problem === undefined
  // Leaves out turns whose callers do not record them.
  const made = ofTurns.filter(({ length }) => length > 0).length
  return { sent: isSent ? made : 0, dropped: unknown + (isSent ? 0 : made), problem }
}
