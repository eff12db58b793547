/**
 * What a client may leave unread when the next message comes, in bytes. One answer may be longer: it is given to the connection
 * in one piece.
 */
export const mostUnread = 8 * 1024 * 1024

/** The same response, whose stream ends when its client does not read: what is withdrawn by that is the call, never the turn. */
export function boundUnread(response: Response, onUnread: (unreadBytes: number) => void): Response {
  if (response.body === null || !response.headers.get('content-type')?.startsWith('text/event-stream')) return response
  const reader = (response.body as ReadableStream<Uint8Array>).getReader()
  const pass = async (controller: ReadableStreamDefaultController<Uint8Array>): Promise<void> => {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return controller.close()
      const unread = -(controller.desiredSize ?? 0)
      if (unread > mostUnread) {
        onUnread(unread)
        throw new Error('its client does not read')
      }
      controller.enqueue(value)
    }
  }
  const start = (controller: ReadableStreamDefaultController<Uint8Array>): void => {
    pass(controller).catch((error: unknown) => {
      controller.error(error)
      reader.cancel(error).catch(() => {})
    })
  }
  const cancel = (why: unknown): Promise<void> => reader.cancel(why)
  const body = new ReadableStream({ start, cancel }, new ByteLengthQueuingStrategy({ highWaterMark: 0 }))
  return new Response(body, response)
}
