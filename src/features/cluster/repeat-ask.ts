import { type Clock, pause } from '../../base/lib/clock.ts'
import type { Log } from '../../base/lib/log.ts'
import { IrisError } from '../../base/protocol/error.ts'
import { type Carried, refusedHere } from './carried.ts'
import type { Letter } from './ports.ts'

export interface RepeatAskParts {
  readonly clock: Clock
  readonly log: Log
  /** Resolves when the letter is in the mailbox. Rejects while the servers cannot be reached. */
  readonly send: (to: string, letter: Letter, id: string) => Promise<void>
}

export const firstPauseMs = 1000
/** The longest pause. The ask is still repeated after its host has it, in case the end was lost. */
const maxPauseMs = 60_000

/**
 * Repeats the ask until the turn is over. A mailbox keeps an ask with the same id only once. A host that already has
 * the ask reports its progress. `run`: part of the ids, different after each start.
 */
export async function repeatAsk(
  carried: Carried,
  run: string,
  textOf: (host: string) => string,
  { clock, log, send }: RepeatAskParts,
): Promise<void> {
  const { ask } = carried
  let isOver = false
  void carried.over.promise.then(() => {
    isOver = true
  })
  let pauseMs = firstPauseMs
  for (let count = 0; !isOver && !ask.cancelled.aborted; count++) {
    const { host } = carried
    const letter: Letter = { turn: ask.id, kind: 'ask', text: textOf(host) }
    try {
      const id = `${ask.id}:${run}:${carried.repeats}`
      await send(host, letter, carried.isTaken ? `${id}:${count}` : id)
      pauseMs = carried.isTaken ? maxPauseMs : Math.min(pauseMs * 2, maxPauseMs)
    } catch (error) {
      if (isTooLong(error)) return carried.over.resolve(refusedHere((error as Error).message))
      if (count === 0) log.warn(`a message waits for a connection to ${host}: ${String(error)}`, { turnId: ask.id })
    }
    if (isOver) return
    if (carried.nudge.signal.aborted) carried.nudge = new AbortController()
    await pause(clock.machine, pauseMs, carried.nudge.signal)
  }
}

function isTooLong(error: unknown): boolean {
  return error instanceof IrisError && error.code === 'message_too_long'
}
