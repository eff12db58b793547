import { suggestedRules } from '../../base/rule/suggested-rules.ts'
import type { RecordedQuestion, RecordedTool } from '../../platform/store/recording.ts'
import { lowerBound } from './pairs.ts'
import { namedTurns } from './repeated.ts'

export interface SlowTool {
  readonly team: string
  /** The tool's name; for a command, also its first words: `Bash npm test`. */
  readonly tool: string
  readonly times: number
  /** Milliseconds. */
  readonly p50Ms: number
  readonly p95Ms: number
  readonly totalMs: number
  /** The turns of the slowest uses, the slowest first. */
  readonly turns: readonly string[]
}

export interface AlwaysAllowed {
  readonly team: string
  readonly tool: string
  readonly times: number
  /** The rule that Claude Code suggested each time; absent when the suggestions differ. */
  readonly rule?: string
  readonly turns: readonly string[]
  /** The newest questions, at most `namedQuestions` of them. */
  readonly questions: readonly string[]
}

const slowMs = 30_000
/**
 * A tool counts as slow if, with 95 % confidence, at least this share of its uses is slow: a single slow use proves
 * nothing.
 */
const minSlow = 0.1
const minAnswers = 5
/** How many durations are kept for one tool. Beyond that, they are an even sample of all durations. */
const maxDurations = 10_000

interface Uses {
  readonly team: string
  readonly tool: string
  readonly took: number[]
  slow: number
  readonly slowest: { readonly turn: string; readonly took: number }[]
  times: number
  totalMs: number
}

export class SlowTools {
  readonly #uses = new Map<string, Uses>()

  add({ turn, team, name, input, took }: RecordedTool): void {
    const tool = kindOf(name, input)
    const key = JSON.stringify([team, tool])
    const uses = this.#uses.get(key) ?? { team, tool, took: [], slow: 0, slowest: [], times: 0, totalMs: 0 }
    this.#uses.set(key, uses)
    const duration = Math.max(0, took)
    uses.times += 1
    uses.totalMs += duration
    if (duration >= slowMs) uses.slow += 1
    // Beyond the limit, each use replaces an older one, chosen by a count and not at random, so that a recording always
    // gives the same result.
    if (uses.took.length < maxDurations) uses.took.push(duration)
    else uses.took[(uses.times * 7919) % maxDurations] = duration
    uses.slowest.push({ turn, took: duration })
    uses.slowest.sort((one, other) => other.took - one.took)
    uses.slowest.length = Math.min(uses.slowest.length, namedTurns)
  }

  /** Ordered by total time, the longest first. */
  found(): readonly SlowTool[] {
    return [...this.#uses.values()]
      .filter(({ slow, times }) => lowerBound(slow, times) >= minSlow)
      .map(({ team, tool, times, totalMs, took, slowest }) => {
        const sorted = took.toSorted((one, other) => one - other)
        const rank = (share: number): number => sorted[Math.ceil(share * sorted.length) - 1]!
        const turns = [...new Set(slowest.map(({ turn }) => turn))]
        return { team, tool, times, totalMs, p50Ms: rank(0.5), p95Ms: rank(0.95), turns }
      })
      .sort((one, other) => other.totalMs - one.totalMs || one.tool.localeCompare(other.tool))
  }
}

interface Answers {
  readonly team: string
  readonly tool: string
  times: number
  denied: boolean
  rules: readonly string[] | undefined
  turns: string[]
  questions: string[]
}

/** How many permission requests of one kind are named at most. */
const namedQuestions = 200

export class AllowedQuestions {
  readonly #answers = new Map<string, Answers>()

  add({ id, team, tool: name, input, suggestions, turn, allowed }: RecordedQuestion): void {
    const tool = kindOf(name, commandIn(input))
    const key = JSON.stringify([team, tool])
    const answers: Answers = this.#answers.get(key) ?? {
      team,
      tool,
      times: 0,
      denied: false,
      rules: undefined,
      turns: [],
      questions: [],
    }
    this.#answers.set(key, answers)
    answers.times += 1
    answers.denied ||= !allowed
    const rules = suggestedRules(suggestions)
    answers.rules = answers.rules?.filter((rule) => rules.includes(rule)) ?? rules
    answers.questions = [id, ...answers.questions].slice(0, namedQuestions)
    if (turn !== null) answers.turns = [turn, ...answers.turns].slice(0, namedTurns)
  }

  found(): readonly AlwaysAllowed[] {
    return [...this.#answers.values()]
      .filter(({ times, denied }) => times >= minAnswers && !denied)
      .map(({ team, tool, times, rules, turns, questions }) => {
        const [rule] = rules ?? []
        return { team, tool, times, ...(rule !== undefined && { rule }), turns, questions }
      })
      .sort((one, other) => other.times - one.times || one.tool.localeCompare(other.tool))
  }
}

/**
 * The name under which uses count as the same tool: for commands, the program and its first argument, unless that is an
 * option.
 */
function kindOf(name: string, input: string): string {
  if (name !== 'Bash') return name
  const [program = '', ...rest] = input.trim().split(/\s+/)
  const [next] = rest
  const isWord = next !== undefined && /^[a-z][a-z0-9:_-]*$/i.test(next)
  return ['Bash', program.slice(0, 40), ...(isWord ? [next.slice(0, 40)] : [])].join(' ').trimEnd()
}

function commandIn(input: string): string {
  const { command } = JSON.parse(input) as { command?: unknown }
  return typeof command === 'string' ? command : ''
}
