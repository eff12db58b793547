import type { z } from 'zod'
import type { TracedTurn, traceTurn } from '../contract.ts'
import { timesOf } from './time-line.ts'
import { turnSteps } from './turn-steps.ts'

type Trace = z.output<typeof traceTurn.output>

/** The text that replaces what the asker may not know. */
const hidden = 'hidden'

/**
 * A trace as the asker of its root may see it, if that asker is neither an agent nor a person: everything about its own
 * turns except the work of Claude Code, and only the status of what happened below them. Pure.
 */
export function ofAsker(asker: string, trace: Trace): Trace {
  const { link: _link, ...rest } = trace
  const turns = trace.turns.map((turn) => (turn.from === asker ? withoutWork(turn) : statusOnly(turn)))
  const own = turns.find(({ turnId }) => turnId === trace.turnId)
  return { ...rest, turns, toolsLeftOut: true, times: timesOf([]), steps: own === undefined ? [] : turnSteps(own, []) }
}

function withoutWork(turn: TracedTurn): TracedTurn {
  return { ...turn, tools: [], permissions: [], spans: [], times: timesOf([]) }
}

function statusOnly({ turnId, parentTurnId, status, acceptedAt, settledAt }: TracedTurn): TracedTurn {
  return {
    turnId,
    parentTurnId,
    status,
    acceptedAt,
    settledAt,
    from: hidden,
    to: hidden,
    thread: hidden,
    sessionId: hidden,
    message: '',
    hop: 0,
    awaited: false,
    reason: null,
    detail: null,
    usage: null,
    parentToolUseId: null,
    firstAt: null,
    deliveredAt: null,
    continuedAt: [],
    startedAt: null,
    tools: [],
    permissions: [],
    spans: [],
    times: timesOf([]),
  }
}
