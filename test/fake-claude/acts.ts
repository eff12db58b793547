import { leave } from './leave.ts'
import type { ActValues } from './script.ts'
import type { Turn } from './turn.ts'

const pollMs = 10
const floodChunkBytes = 1 << 20

type Performers<Values> = { [K in keyof Values]: (value: Values[K], turn: Turn) => void | Promise<void> }

/** One line a kind of act: what a process does besides talking. */
export const acts: Performers<ActValues> = {
  delayMs: (ms, turn) => pause(turn, ms),
  waitForFile: async (path, turn) => {
    while (!turn.session.world.files.exists(path)) await pause(turn, pollMs)
  },
  touchFile: (path, { session }) => session.world.files.append(path, ''),
  appendFile: ({ path, line }, { session, message }) => {
    session.world.files.append(path, `${line}\n`)
    session.world.record({ event: 'effect', uuid: message.uuid, path, line })
  },
  rawStdout: (raw, { session }) => session.world.stdout(typeof raw === 'string' ? raw : fromBase64(raw.base64)),
  hugeLine: (bytes, { session }) => session.world.stdout(filler(bytes)),
  flood: ({ lines, bytes, to = 'stdout' }, turn) => flood(turn, lines, to, filler(bytes)),
  stderr: (text, { session }) => session.world.stderr(text),
  exit: (code, { session }) => leave(session, code),
  kill: (signal, { session }) => {
    session.world.self.kill(signal)
    // A signal with a handler arrives later: nothing more is played.
    return new Promise(() => {})
  },
  stop: (_, { session }) => session.world.self.kill('SIGSTOP'),
  hang: (_, { session }) => {
    session.world.self.hang()
    // In virtual time it comes back.
    return new Promise(() => {})
  },
  closeStdout: (_, { session }) => session.world.self.closeStdout(),
  ignoreStdin: (_, { session }) => session.world.self.ignoreStdin(),
  setsidChild: ({ seconds }, { session }) => session.world.self.startOrphan(seconds),
}

/** Never settles once the turn is interrupted. */
function pause({ session, signal }: Turn, ms: number): Promise<void> {
  return new Promise((resolve) => {
    const cancel = session.world.clock.after(ms, () => {
      signal.removeEventListener('abort', cancel)
      resolve()
    })
    signal.addEventListener('abort', cancel, { once: true })
  })
}

async function flood(turn: Turn, lines: number, to: 'stdout' | 'stderr', line: string): Promise<void> {
  const { world } = turn.session
  const perChunk = Math.max(1, Math.floor(floodChunkBytes / line.length))
  for (let left = lines; left > 0; left -= perChunk) {
    world[to](line.repeat(Math.min(left, perChunk)))
    // Control requests are heard between two chunks.
    await pause(turn, 0)
  }
}

/** A line of so many bytes, the line feed not counted. */
function filler(bytes: number): string {
  const [head, tail] = ['{"type":"system","subtype":"filler","filler":"', '"}']
  return `${head}${'x'.repeat(Math.max(0, bytes - head.length - tail.length))}${tail}\n`
}

function fromBase64(text: string): Uint8Array {
  return Uint8Array.from(atob(text), (character) => character.charCodeAt(0))
}
