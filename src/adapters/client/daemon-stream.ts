import type { IncomingMessage } from 'node:http'
import { createParser } from 'eventsource-parser'
import { type FollowOptions, type StreamFrame, StreamRefused } from './event-stream.ts'
import { send } from './send.ts'

/** Opens `GET /api/stream` as Server-Sent Events. */
export function openEventStream(
  address: string,
  headers: Readonly<Record<string, string>> = {},
): FollowOptions['open'] {
  return async (after, signal) => {
    const resumed = after !== undefined && { 'last-event-id': after }
    const answer = await send(address, { headers: { ...headers, ...resumed }, signal })
    const status = answer.statusCode
    if (status !== 200) answer.destroy()
    if (status === 401 || status === 403) throw new StreamRefused(`The daemon refused the stream (HTTP ${status}).`)
    if (status !== 200) throw new Error(`The daemon could not open the stream (HTTP ${status}).`)
    return framesOf(answer)
  }
}

async function* framesOf(answer: IncomingMessage): AsyncGenerator<StreamFrame, void> {
  const received: StreamFrame[] = []
  const parser = createParser({
    onEvent: ({ id, event = 'message', data }) => received.push({ id, type: event, data: JSON.parse(data) }),
  })
  for await (const piece of answer.setEncoding('utf8') as AsyncIterable<string>) {
    parser.feed(piece)
    yield* received.splice(0)
  }
}
