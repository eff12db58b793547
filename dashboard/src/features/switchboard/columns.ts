import { standingOf, standings } from '../../../../src/base/protocol/standing.ts'
import type { Session } from './changes.ts'

interface Column {
  /** The sort key; undefined comes last in both directions. */
  readonly value: (session: Session) => number | string | undefined
  /** Whether the first click puts the largest first. */
  readonly largestFirst?: boolean
  readonly isNumber?: boolean
}

/** The figures of a session that are shown, in the order of the table. */
export const columns = {
  pair: { value: ({ from, to, thread }) => `${from}\0${to}\0${thread}` },
  state: { value: (session) => standings.indexOf(standingOf(session)) },
  queue: { value: ({ queueLength }) => queueLength, largestFirst: true, isNumber: true },
  messages: { value: ({ messageCount }) => messageCount, largestFirst: true, isNumber: true },
  lastAnswer: { value: ({ lastAnswerAt }) => lastAnswerAt, largestFirst: true },
  context: { value: contextShare, largestFirst: true },
  cost: { value: ({ costUsd }) => costUsd, largestFirst: true, isNumber: true },
} as const satisfies Readonly<Record<string, Column>>

export type ColumnName = keyof typeof columns
export const columnNames = Object.keys(columns) as ColumnName[]

export interface Sorting {
  /** `used`: the last used first. */
  readonly by: ColumnName | 'used'
  readonly isFalling: boolean
}

/** 0 to 1; undefined where it is not known. */
export function contextShare({ contextTokens, contextWindow }: Session): number | undefined {
  return contextTokens === undefined || !contextWindow ? undefined : contextTokens / contextWindow
}

export function sorted(sessions: readonly Session[], { by, isFalling }: Sorting): Session[] {
  const value: Column['value'] = by === 'used' ? ({ lastUsedAt }) => lastUsedAt : columns[by].value
  const valued = sessions.map((session) => [value(session), session] as const)
  valued.sort(([a], [b]) => {
    if (a === undefined || b === undefined) return Number(a === undefined) - Number(b === undefined)
    const rising = a < b ? -1 : a > b ? 1 : 0
    return isFalling ? -rising : rising
  })
  return valued.map(([, session]) => session)
}

/**
 * The sorting after a click on a column: first its usual direction, then the other one, then the last used first again.
 */
export function nextSorting(by: ColumnName, now: Sorting): Sorting {
  const first = (columns[by] as Column).largestFirst === true
  if (now.by !== by) return { by, isFalling: first }
  return now.isFalling === first ? { by, isFalling: !first } : { by: 'used', isFalling: true }
}
