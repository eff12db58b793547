import { findPatterns } from '../../src/features/insight/patterns.ts'
import { makeWeeks } from './weeks.ts'

export interface Score {
  /** Reported patterns, and those of them that were planted. */
  reported: number
  right: number
  /** Planted patterns, and those of them that were reported. */
  planted: number
  found: number
}

/** Counts for each kind of pattern over the weeks of all seeds. */
export function scoresOf(seeds: readonly number[]): Readonly<Record<string, Score>> {
  const scores: Record<string, Score> = {}
  const count = (kind: string, reported: readonly string[], planted: readonly string[]): void => {
    const score = (scores[kind] ??= { reported: 0, right: 0, planted: 0, found: 0 })
    score.reported += reported.length
    score.right += reported.filter((each) => planted.includes(each)).length
    score.planted += planted.length
    score.found += planted.filter((each) => reported.includes(each)).length
  }
  for (const seed of seeds) {
    const { planted, ...rows } = makeWeeks(seed)
    const recording = { asks: () => rows.asks, tools: () => rows.tools, questions: () => rows.questions }
    const found = findPatterns(recording, { offsetMinutes: 0 })
    // A report is right when all turns that it names are of one planted question.
    const repeated = found.repeated.map(({ turns }) => {
      const [question, ...others] = new Set(turns.map((turn) => planted.questionOf.get(turn)))
      return question === undefined || others.length > 0 ? 'none' : String(question)
    })
    count('repeated', repeated, [...new Set(planted.questionOf.values())].map(String))
    count(
      'chains',
      found.chains.map(({ from, to, next }) => `${from} → ${to} → ${next}`),
      planted.chains,
    )
    count(
      'failing',
      found.failing.map(({ from, to }) => `${from} → ${to}`),
      planted.failing,
    )
    count(
      'peaks',
      found.peaks.map(({ begin }) => String(begin)),
      planted.peaks.map(String),
    )
    count(
      'slowTools',
      found.slowTools.map(({ team, tool }) => `${team} ${tool}`),
      planted.slowTools,
    )
    count(
      'alwaysAllowed',
      found.alwaysAllowed.map(({ team, tool }) => `${team} ${tool}`),
      planted.alwaysAllowed,
    )
  }
  return scores
}
