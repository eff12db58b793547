import { upgradeWebSocket } from '@hono/node-server'
import type { Context } from 'hono'
import type { WebSocket } from 'ws'
import { type Clock, every } from '../../../base/lib/clock.ts'
import { type Batch, beat, type Frame, madeOnce } from './frame.ts'

/** If more bytes than this are buffered, sending waits until the reader has taken the last message. */
const maxBufferedBytes = 64 * 1024
/** Interval of pings. A reader that has not answered a ping before the next one is gone. */
const pingMs = 30_000

/**
 * Sends batches as messages of a WebSocket, each a list of `{id?, type, data}`. The reader pulls: no batch is made
 * while the socket's buffer is full. Calls `end` when the socket has closed.
 */
export function toWebSocket(context: Context, batches: AsyncGenerator<Batch, void>, clock: Clock, end: () => void) {
  return upgradeWebSocket(context, {
    onOpen(_event, { raw }) {
      // This is a socket of the library `ws`, which daemon/listen.ts uses. The adapter's type has neither
      // `bufferedAmount` nor pings.
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
    // Beats are left out: pings keep a silent connection open here.
    for await (const batch of batches) if (batch !== beat) await send(socket, bytesOf(batch))
    socket.close(1001, 'The stream has ended.')
  } catch {
    // The reader has left, or the snapshot failed. In both cases the client can reconnect.
    socket.close(1011)
  }
}

function frameText({ id, type, json }: Frame): string {
  return `{${id === undefined ? '' : `"id":"${id}",`}"type":"${type}","data":${json}}`
}

/** Resolves at once while the buffer has room. Otherwise resolves when this message has been sent. */
async function send(socket: WebSocket, text: Buffer): Promise<void> {
  const sent = Promise.withResolvers<void>()
  socket.send(text, { binary: false }, (error) => (error ? sent.reject(error) : sent.resolve()))
  if (socket.bufferedAmount >= maxBufferedBytes) await sent.promise
  else sent.promise.catch(() => {})
}

/** Terminates the socket if a ping stays unanswered. Returns a function that stops the pings. */
function endWhenGone(socket: WebSocket, clock: Clock): () => void {
  let answered = true
  socket.on('pong', () => (answered = true))
  return every(clock, pingMs, () => {
    if (!answered) return socket.terminate()
    answered = false
    socket.ping()
  })
}
