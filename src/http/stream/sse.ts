import type { Frame } from './reader.ts'

/** Frames as Server-Sent Events. Pulled by the reader's side: nothing is made that it does not take. */
export function toServerSentEvents(frames: AsyncGenerator<Frame, void>, end: () => void): Response {
  const encoder = new TextEncoder()
  const stream = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const { done, value } = await frames.next()
        if (done === true) controller.close()
        else controller.enqueue(encoder.encode(eventText(value)))
      },
      cancel: end,
    },
    { highWaterMark: 0 },
  )
  // A proxy that collects what comes would hold it back.
  const headers = { 'content-type': 'text/event-stream', 'cache-control': 'no-cache', 'x-accel-buffering': 'no' }
  return new Response(stream, { headers })
}

function eventText({ id, type, json }: Frame): string {
  if (type === 'beat') return ': still there\n\n'
  return `${id === undefined ? '' : `id: ${id}\n`}event: ${type}\ndata: ${json}\n\n`
}
