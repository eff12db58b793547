import type { Line } from '../../base/agent/line.ts'
import type { Clock } from '../../base/lib/clock.ts'
import type { Hosts } from './hosts.ts'
import { hasSignature, openJson } from './signed-json.ts'

export interface LiveLines {
  hear(line: Line): void
  /** Sends the collected lines. */
  end(): void
}

const everyMs = 100
const maxBytes = 100_000

/**
 * Collects a turn's lines for a moment before it sends them. Lines are live and may be lost; the turn's end is complete
 * without them.
 */
export function liveLines(turn: string, tell: (text: string) => void, clock: Clock): LiveLines {
  let collected: Line[] = []
  let cancelTimer: (() => void) | undefined
  let n = 0
  const flush = (): void => {
    cancelTimer = undefined
    if (collected.length > 0) tell(JSON.stringify({ turn, n: n++, lines: collected }))
    collected = []
  }
  return {
    hear(line) {
      if (JSON.stringify(line).length > maxBytes) return
      collected.push(line)
      cancelTimer ??= clock.machine.after(everyMs, flush)
    },
    end() {
      cancelTimer?.()
      flush()
    },
  }
}

/** The signing context of lines. */
export function aboutLine(from: string, to: string): readonly string[] {
  return ['line', from, to]
}

/**
 * The text of lines. Undefined if the host has not signed them. Lines from a host that signs nothing are accepted,
 * because its Iris is older.
 */
export function openLine(
  text: string,
  from: string,
  to: string,
  hosts: Pick<Hosts, 'keyOf' | 'hasSigned'>,
): string | undefined {
  const key = hosts.keyOf(from)
  if (key === undefined) return undefined
  if (hasSignature(text)) return openJson(text, aboutLine(from, to), key)
  return hosts.hasSigned(from) ? undefined : text
}
