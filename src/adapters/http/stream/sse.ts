import { type Batch, type Frame, madeOnce } from './frame.ts'

const encoder = new TextEncoder()
const bytesOf = madeOnce((batch) => encoder.encode(batch.map(eventText).join('')))

/** Sends batches as Server-Sent Events. The reader pulls: no batch is made before it can take it. */
export function toServerSentEvents(batches: AsyncGenerator<Batch, void>, end: () => void): Response {
  const stream = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const { done, value } = await batches.next()
        if (done === true) controller.close()
        else controller.enqueue(bytesOf(value))
      },
      cancel: end,
    },
    { highWaterMark: 0 },
  )
  // `x-accel-buffering` stops proxies from holding events back.
  const headers = { 'content-type': 'text/event-stream', 'cache-control': 'no-cache', 'x-accel-buffering': 'no' }
  return new Response(stream, { headers })
}

function eventText({ id, type, json }: Frame): string {
  if (type === 'beat') return ': still there\n\n'
  return `${id === undefined ? '' : `id: ${id}\n`}event: ${type}\ndata: ${json}\n\n`
}
