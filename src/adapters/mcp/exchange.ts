import type { JSONRPCMessage, JSONRPCRequest, Server } from '@modelcontextprotocol/server'
import type { Clock } from '../../base/lib/clock.ts'
import { TurnQueue } from '../../base/lib/in-turns.ts'
import { MessageServer } from './message-server.ts'

export type ToolCall = JSONRPCRequest

/**
 * An answer that takes longer than this, in milliseconds, gets a stream, because Claude Code gives up after 60 s
 * without a first byte.
 */
const openAfterMs = 50
const keepAliveMs = 15_000
/** Shared by all calls, because opening a stream takes about a millisecond. */
const streams = new TurnQueue(8)

/**
 * Answers one `tools/call` of the 2025 era. If the answer comes at once, it is a JSON body, which costs half as much as
 * a stream. Otherwise it comes in an event stream, after the progress. Closing the stream withdraws the call. A
 * withdrawn call gets no answer; its stream ends. `opened` gets the call's AbortController, and returns a function that
 * is called when the call ends.
 */
export async function answerCall(
  server: Server,
  call: ToolCall,
  gone: AbortSignal,
  clock: Clock,
  opened: (call: AbortController) => () => void,
): Promise<Response> {
  const said: JSONRPCMessage[] = []
  let say = (message: JSONRPCMessage): void => void said.push(message)
  const withdrawn = new AbortController()
  gone.addEventListener('abort', () => withdrawn.abort(), { once: true })
  const ended = opened(withdrawn)
  const answer = new MessageServer(server, (notification) => say(notification)).receive(call, withdrawn.signal)
  void answer.then(ended)

  const late = Promise.withResolvers<undefined>()
  const cancelTimer = clock.after(openAfterMs, () => late.resolve(undefined))
  const early = await Promise.race([answer, late.promise])
  cancelTimer()
  if (early !== undefined) return Response.json(early)
  // Calls that arrived together all open their streams at this moment.
  await streams.enter()

  let endKeepAlive = (): void => {}
  let hasLeft = false
  const stream = new ReadableStream<string>({
    start(controller) {
      say = (message) => controller.enqueue(frame(message))
      for (const message of said) say(message)
      const beat = (): void => {
        controller.enqueue(': still at work\n\n')
        endKeepAlive = clock.after(keepAliveMs, beat)
      }
      endKeepAlive = clock.after(keepAliveMs, beat)
      void answer.then((message) => {
        endKeepAlive()
        if (hasLeft || message === undefined) return
        if (!withdrawn.signal.aborted) say(message)
        controller.close()
      })
    },
    cancel() {
      hasLeft = true
      endKeepAlive()
      withdrawn.abort()
    },
  })
  const headers = { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' }
  return new Response(stream.pipeThrough(new TextEncoderStream()), { headers })
}

function frame(message: JSONRPCMessage): string {
  return `event: message\ndata: ${JSON.stringify(message)}\n\n`
}
