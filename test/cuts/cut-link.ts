import type { HostChannel, HostShell } from '../../src/platform/hosts/host.ts'

/** When a connection is cut, counted from its start; the first that comes cuts it. */
export interface Cut {
  /** So many characters reached the host. */
  readonly toHost?: number
  /** So many bytes of stdout, or of stderr, came from it. */
  readonly output?: number
  readonly status?: number
  /** At the latest after so many milliseconds. */
  readonly afterMs: number
  /** The shell there hears of the cut only now, milliseconds later: until then it continues with what it has. */
  readonly lingers: number
}

/** A link that is cut where `next` says; undefined lets that connection live. */
export function cutLink(shell: HostShell, next: () => Cut | undefined): HostShell {
  return {
    name: shell.name,
    async open() {
      const channel = await shell.open()
      const cut = next()
      return cut ? cutChannel(channel, cut) : channel
    },
  }
}

function cutChannel(channel: HostChannel, cut: Cut): HostChannel {
  let isCut = false
  let tellEnd: () => void = () => {}
  const exited = Promise.race([
    channel.exited,
    new Promise<{ code: number; signal: null }>((resolve) => {
      tellEnd = () => resolve({ code: 255, signal: null })
    }),
  ])
  const end = (): void => {
    if (isCut) return
    isCut = true
    tellEnd()
    setTimeout(() => void channel.stop('now'), cut.lingers)
  }
  setTimeout(end, cut.afterMs)
  /** The part of what passes that comes before the cut. */
  const counter = (most = Number.POSITIVE_INFINITY) => {
    let left = most
    return <T extends { readonly length: number }>(whole: T, slice: (length: number) => T): T => {
      const part = whole.length > left ? slice(left) : whole
      left -= part.length
      return part
    }
  }
  const outputs = counter(cut.output)
  const status = counter(cut.status)
  const inputs = counter(cut.toHost)
  return {
    ...channel,
    exited,
    stop: async () => {
      end()
      return exited
    },
    read: (onChunk) =>
      channel.read((chunk) => {
        if (isCut) return undefined
        const part = outputs(chunk, (length) => chunk.subarray(0, length))
        const busy = part.length > 0 ? onChunk(part) : undefined
        if (part.length < chunk.length) end()
        return busy
      }),
    readErrors: (onChunk) =>
      channel.readErrors((chunk) => {
        if (isCut) return
        const part = status(chunk, (length) => chunk.subarray(0, length))
        if (part.length > 0) onChunk(part)
        if (part.length < chunk.length) end()
      }),
    async write(text) {
      if (isCut) throw new Error('the link is cut')
      const part = inputs(text, (length) => text.slice(0, length))
      const written = channel.write(part)
      if (part.length < text.length) end()
      return written
    },
  }
}
