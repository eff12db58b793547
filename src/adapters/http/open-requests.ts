import type { Clock } from '../../base/lib/clock.ts'

/** The largest body, in bytes. */
const maxBody = 1024 * 1024
const maxMs = 10_000
/** How many requests for one name may be open. */
const maxOpen = 8

type Why = 'tooLarge' | 'tooSlow' | 'crowded'
type Read = { readonly body: Uint8Array } | { readonly dropped: Why }

interface Open {
  isReading: boolean
  readonly end: (why: Why) => void
}

/** A place for one request among those for the same name. */
export interface Place {
  /**
   * Resolves to the body, unless the body is too large or too slow, or the request had to make room for a later one. If
   * `keeps` is false, the body is read and dropped.
   */
  read(request: Request, keeps: boolean): Promise<Read>
  leave(): void
}

/**
 * Bounds the size, time and number of the requests that are not verified yet, for each name. There is no rate limit,
 * because strangers could use it up. If too many requests are open, the one that has been sending longest makes room,
 * so that a slow sender keeps nobody out.
 */
export class OpenRequests {
  readonly #clock: Pick<Clock, 'after'>
  /** The open requests by name, in the order of arrival. */
  readonly #open = new Map<string, Set<Open>>()

  constructor(clock: Pick<Clock, 'after'>) {
    this.#clock = clock
  }

  enter(name: string): Place {
    const dropped = Promise.withResolvers<Read>()
    const own: Open = { isReading: true, end: (why) => dropped.resolve({ dropped: why }) }
    const all = this.#open.get(name) ?? new Set<Open>()
    this.#open.set(name, all.add(own))
    if (all.size > maxOpen) {
      const oldest = [...all].find((each) => each.isReading) ?? own
      oldest.isReading = false
      oldest.end('crowded')
    }
    const cancelTimer = this.#clock.after(maxMs, () => own.isReading && own.end('tooSlow'))
    return {
      read: async (request, keeps) => {
        if (Number(request.headers.get('content-length') ?? 0) > maxBody) return { dropped: 'tooLarge' }
        const reader = request.body?.getReader()
        const read = await Promise.race([dropped.promise, wholeOf(reader, keeps)])
        own.isReading = false
        if ('dropped' in read) void reader?.cancel().catch(() => {})
        return read
      },
      leave: () => {
        cancelTimer()
        all.delete(own)
        if (all.size === 0 && this.#open.get(name) === all) this.#open.delete(name)
      },
    }
  }
}

async function wholeOf(reader: ReadableStreamDefaultReader<Uint8Array> | undefined, keeps: boolean): Promise<Read> {
  const chunks: Uint8Array[] = []
  let size = 0
  for (;;) {
    const next = await reader?.read()
    if (next === undefined || next.done) return { body: Buffer.concat(chunks) }
    size += next.value.length
    if (size > maxBody) return { dropped: 'tooLarge' }
    if (keeps) chunks.push(next.value)
  }
}
