import { type FollowOptions, type StreamFrame, StreamRefused } from '../../../../src/adapters/client/event-stream.ts'

/**
 * Opens `/api/stream` as a WebSocket. Unlike Server-Sent Events, it uses none of the six connections that a browser has
 * for one address, so a person may have any number of tabs open.
 */
export function openSocket(path: string): FollowOptions['open'] {
  return async (after, signal) => {
    const address = new URL(path, location.href)
    address.protocol = location.protocol === 'https:' ? 'wss:' : 'ws:'
    if (after !== undefined) address.searchParams.set('after', after)
    const socket = new WebSocket(address)
    signal.addEventListener('abort', () => socket.close(), { once: true })
    const frames = framesOf(socket)
    await opened(socket)
    return frames
  }
}

function opened(socket: WebSocket): Promise<void> {
  return new Promise((resolve, reject) => {
    socket.addEventListener('open', () => resolve())
    socket.addEventListener('close', () => void whyClosed().then(reject))
  })
}

/** A browser does not say why a socket was not opened; a request does. */
async function whyClosed(): Promise<Error> {
  const status = await fetch('/api/teams').then(
    (answer) => answer.status,
    () => 0,
  )
  const isRefused = status === 401 || status === 403
  return isRefused ? new StreamRefused(`The stream is refused with ${status}.`) : new Error('Iris does not answer.')
}

/** The frames from now on, in order; ends with the socket. */
function framesOf(socket: WebSocket): AsyncIterable<StreamFrame> {
  const waiting: StreamFrame[] = []
  let next = Promise.withResolvers<void>()
  let isOver = false
  const wake = (): void => {
    next.resolve()
    next = Promise.withResolvers()
  }
  socket.addEventListener('message', ({ data }) => {
    waiting.push(...(JSON.parse(data as string) as StreamFrame[]))
    wake()
  })
  socket.addEventListener('close', () => {
    isOver = true
    wake()
  })
  return {
    async *[Symbol.asyncIterator]() {
      for (;;) {
        for (let frame = waiting.shift(); frame !== undefined; frame = waiting.shift()) yield frame
        if (isOver) return
        await next.promise
      }
    },
  }
}
