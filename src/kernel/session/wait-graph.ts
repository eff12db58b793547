import { IrisError } from '../../base/protocol/error.ts'
import type { Pair } from '../../base/protocol/pair.ts'
import { answering } from './agent-thread.ts'

/** A turn that has not ended, as a node of the graph. */
export interface WaitingTurn {
  readonly id: string
  /** The pair, for error texts. */
  readonly label: string
  /** The turn directly before it in its session's queue. */
  readonly behind: string | undefined
  /** The asks that it waits for. The turn can end when all of them have ended. */
  readonly awaits: readonly string[]
  /** Whether the turn is first in its queue and its session has no process. */
  readonly needsProcess: boolean
  readonly holdsProcess: boolean
  /** The host whose processes the turn needs or uses. Undefined for this host. */
  readonly host?: string
}

export interface WaitFacts {
  readonly turns: ReadonlyMap<string, WaitingTurn>
  /**
   * Whether a process is available without waiting for any of these turns. If not, each process is in use by one of
   * them.
   */
  readonly hasRoom: boolean
}

/**
 * Returns undefined if turn `id` can end. Otherwise returns the cycle that blocks it, as labels. This is a pure
 * function.
 *
 * A turn can end if the turn before it and everything that it awaits can end. If it needs a process, there must also be
 * room, or some turn that has a process must be able to end. Turns that can end are added until no more are found; the
 * rest are stuck. This finds cycles of pairs, and a pool that is filled with a turn's own waiting ancestors.
 */
export function waitsForItself(id: string, facts: WaitFacts): readonly string[] | undefined {
  return ringOf(id, facts)?.map(({ label }) => label)
}

/** Like `waitsForItself`, but returns the cycle as turns. The first and the last turn are the same. */
export function ringOf(id: string, facts: WaitFacts): readonly WaitingTurn[] | undefined {
  const able = ableToEnd(facts)
  return able.has(id) ? undefined : ringFrom(id, facts, able)
}

function ableToEnd({ turns, hasRoom }: WaitFacts): ReadonlySet<string> {
  const able = new Set<string>()
  const holders = [...turns.values()].filter((turn) => turn.holdsProcess)
  const ends = (id: string | undefined): boolean => id === undefined || able.has(id) || !turns.has(id)
  for (let grown = true; grown; ) {
    grown = false
    for (const turn of turns.values()) {
      if (able.has(turn.id) || !ends(turn.behind) || !turn.awaits.every(ends)) continue
      if (turn.needsProcess && !hasRoom && !holders.some(({ id, host }) => host === turn.host && able.has(id))) continue
      able.add(turn.id)
      grown = true
    }
  }
  return able
}

/** Follows the waits of stuck turns until a turn repeats. */
function ringFrom(id: string, { turns }: WaitFacts, able: ReadonlySet<string>): readonly WaitingTurn[] {
  const path: WaitingTurn[] = []
  for (let turn = turns.get(id); turn !== undefined; turn = turns.get(next(turn, turns, able) ?? '')) {
    const seen = path.indexOf(turn)
    if (seen !== -1) return [...path.slice(seen), turn]
    path.push(turn)
  }
  return path
}

function next(turn: WaitingTurn, turns: WaitFacts['turns'], able: ReadonlySet<string>): string | undefined {
  const stuck = (id: string): boolean => turns.has(id) && !able.has(id)
  if (turn.behind !== undefined && stuck(turn.behind)) return turn.behind
  const holds = (other: WaitingTurn): boolean => other.holdsProcess && other.host === turn.host && stuck(other.id)
  return turn.awaits.find(stuck) ?? [...turns.values()].find(holds)?.id
}

/**
 * A team may occur only once in a chain of waiting asks, including as the first asker. Throws `waits_for_itself`.
 * Checked before the graph, regardless of what else is waiting.
 */
export function notInChain(pair: Pair, chain: readonly string[]): void {
  const to = answering(pair)
  if (chain.includes(to)) throw waitingForItself([...chain, to])
}

/** The refusal of an ask that would close this circle. The first name in `path` is also the last. */
export function waitingForItself(path: readonly string[]): IrisError {
  const [first, second] = path
  return new IrisError(
    'waits_for_itself',
    path.length === 2 && first === second
      ? `You are team "${first}" here, and a team cannot wait for its own answer.`
      : `This ask would wait for itself: ${path.join(' → ')}.`,
    'Ask without waiting (timeout -1), or answer with what you know.',
  )
}
