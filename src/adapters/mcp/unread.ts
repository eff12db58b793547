/**
 * How many bytes a client may leave unread when the next message comes. A single answer may be longer, since it is sent
 * in one piece.
 */
export const maxUnread = 8 * 1024 * 1024

/**
 * The same response, but its stream fails if the client leaves more than `maxUnread` bytes unread. That withdraws the
 * call, never the turn.
 */
export function boundUnread(response: Response, onUnread: (unreadBytes: number) => void): Response {
  if (response.body === null || !response.headers.get('content-type')?.startsWith('text/event-stream')) return response
  const reader = (response.body as ReadableStream<Uint8Array>).getReader()
  const pass = async (controller: ReadableStreamDefaultController<Uint8Array>): Promise<void> => {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return controller.close()
      const unread = -(controller.desiredSize ?? 0)
      if (unread > maxUnread) {
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
