import { upgradeWebSocket } from '@hono/node-server'
import type { Context } from 'hono'
import type { WebSocket } from 'ws'
import { type Clock, every } from '../../../base/lib/clock.ts'
import { type Batch, beat, type Frame, madeOnce } from './frame.ts'

/** What is on its way to a reader before it has to take some of it. */
const mostBufferedBytes = 64 * 1024
/** One that does not answer within so long has gone without a word. */
const pingMs = 30_000

/**
 * Batches as messages of a WebSocket, each a list of `{id?, type, data}`. Pulled as by a stream: nothing is made for a reader
 * that does not take what is there. `end` is called when it has gone.
 */
export function toWebSocket(context: Context, batches: AsyncGenerator<Batch, void>, clock: Clock, end: () => void) {
  return upgradeWebSocket(context, {
    onOpen(_event, { raw }) {
      // The one that daemon/listen.ts serves with: the adapter's own type leaves out what a slow reader is seen by.
      const socket = raw as unknown as WebSocket
      const cancelTimer = endWhenGone(socket, clock)
      socket.once('close', () => {
        cancelTimer()
        end()
      })
      void sendAll(socket, batches)
    },
  })
}

const bytesOf = madeOnce((batch) => Buffer.from(`[${batch.map(frameText).join()}]`))

async function sendAll(socket: WebSocket, batches: AsyncGenerator<Batch, void>): Promise<void> {
  try {
    for await (const batch of batches) if (batch !== beat) await send(socket, bytesOf(batch))
    socket.close(1001, 'The stream has ended.')
  } catch {
    // It has gone in between, or how things stand could not be told: it comes again.
    socket.close(1011)
  }
}

function frameText({ id, type, json }: Frame): string {
  return `{${id === undefined ? '' : `"id":"${id}",`}"type":"${type}","data":${json}}`
}

/** Resolves when there is room for more. */
async function send(socket: WebSocket, text: Buffer): Promise<void> {
  const sent = Promise.withResolvers<void>()
  socket.send(text, { binary: false }, (error) => (error ? sent.reject(error) : sent.resolve()))
  if (socket.bufferedAmount >= mostBufferedBytes) await sent.promise
  else sent.promise.catch(() => {})
}

/** Returns what ends the watch. */
function endWhenGone(socket: WebSocket, clock: Clock): () => void {
  let answered = true
  socket.on('pong', () => (answered = true))
  return every(clock, pingMs, () => {
    if (!answered) return socket.terminate()
    answered = false
    socket.ping()
  })
}
