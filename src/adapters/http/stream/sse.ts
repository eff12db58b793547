import { IrisError } from '../../../base/protocol/error.ts'
import { type Batch, type Frame, madeOnce } from './frame.ts'

const encoder = new TextEncoder()
const bytesOf = madeOnce((batch) => encoder.encode(batch.map(eventText).join('')))

/**
 * Sends batches as Server-Sent Events. The reader pulls: no batch is made before the reader can take it. A refusal,
 * such as one call too many for the snapshot, ends the stream, and the client reconnects.
 */
export function toServerSentEvents(batches: AsyncGenerator<Batch, void>, end: () => void): Response {
  const stream = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const batch = await nextOf(batches)
        if (batch === undefined) controller.close()
        else controller.enqueue(bytesOf(batch))
      },
      cancel: end,
    },
    { highWaterMark: 0 },
  )
  // `x-accel-buffering` stops proxies from holding events back.
  const headers = { 'content-type': 'text/event-stream', 'cache-control': 'no-cache', 'x-accel-buffering': 'no' }
  return new Response(stream, { headers })
}

/**
 * Resolves to undefined at the end. Rejects only for a fault in Iris, which the server writes into the daemon's log.
 */
async function nextOf(batches: AsyncGenerator<Batch, void>): Promise<Batch | undefined> {
  try {
    const { done, value } = await batches.next()
    return done === true ? undefined : value
  } catch (error) {
    if (error instanceof IrisError) return undefined
    throw error
  }
}

function eventText({ id, type, json }: Frame): string {
  if (type === 'beat') return ': still there\n\n'
  return `${id === undefined ? '' : `id: ${id}\n`}event: ${type}\ndata: ${json}\n\n`
}
