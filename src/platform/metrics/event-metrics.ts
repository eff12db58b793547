import type { Observable } from 'rxjs'
import type { PublishedEvent } from '../../base/protocol/event.ts'
import type { PermissionView } from '../../base/protocol/permission-view.ts'
import { Counter } from './counter.ts'
import type { Family } from './exposition.ts'
import { Histogram } from './histogram.ts'

const seconds = [0.1, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 600, 1800, 3600]

/** Metrics that are counted from the daemon's events. */
export class EventMetrics {
  readonly #accepted = new Counter<'team'>('iris_turns_accepted_total', 'Messages accepted, by the team that is asked.')
  readonly #settled = new Counter<'team' | 'outcome'>('iris_turns_total', 'Messages that have ended, by outcome.')
  readonly #durations = new Histogram<'team'>(
    'iris_turn_duration_seconds',
    'From the acceptance of a message to its end, whatever its outcome.',
    seconds,
  )
  readonly #waits = new Histogram<'team'>(
    'iris_turn_queue_seconds',
    'From the acceptance of a message to its first delivery.',
    seconds,
  )
  readonly #tokens = new Counter<'team' | 'kind'>('iris_tokens_total', 'Tokens as Claude Code reported them.')
  readonly #cost = new Counter<'team'>('iris_cost_usd_total', "Cost by Claude Code's count, US dollars.")
  readonly #asked = new Counter<'team'>('iris_permission_questions_total', 'Questions whether a tool may run.')
  readonly #answers = new Counter<'team' | 'answer'>(
    'iris_permission_answers_total',
    'How questions whether a tool may run were decided.',
  )
  readonly #answerTimes = new Histogram<'answer'>(
    'iris_permission_wait_seconds',
    'From a question to its answer, or to the end of the wait for one.',
    seconds,
  )
  readonly #starts = new Counter<'team'>('iris_process_starts_total', 'Processes started.')
  readonly #exits = new Counter<'team' | 'how'>('iris_process_exits_total', 'Ended processes, by how they ended.')
  readonly #errors = new Counter<'team'>(
    'iris_process_errors_total',
    'Starts that failed, processes that died, and processes that reported another session.',
  )
  readonly #breakers = new Counter<'team'>(
    'iris_breaker_openings_total',
    'Pairs that got no process after repeated failures.',
  )
  readonly #compactions = new Counter<'team' | 'result'>('iris_compactions_total', 'Compacted conversations.')
  readonly #reloads = new Counter<'result'>('iris_config_reloads_total', 'Saves of config.yaml, by their result.')

  /** How each type of event is counted. Lines of conversations are not counted: there are too many. */
  readonly #counted: {
    readonly [Type in PublishedEvent['type']]?: (event: Extract<PublishedEvent, { type: Type }>) => void
  } = {
    'turn-accepted': ({ to }) => this.#accepted.add({ team: to }),
    'turn-settled': (event) => this.#ended(event),
    'permission:request': ({ permission }) => this.#asked.add({ team: permission.team }),
    'permission:resolved': ({ permission }) => this.#answered(permission),
    'permission:timeout': ({ permission }) => this.#answered(permission),
    'process-spawned': ({ teamName }) => this.#starts.add({ team: teamName }),
    'process-exited': (event) => this.#exits.add({ team: event.teamName, how: howOf(event) }),
    'process-error': ({ teamName }) => this.#errors.add({ team: teamName }),
    'breaker-opened': ({ teamName }) => this.#breakers.add({ team: teamName }),
    'session-compacted': ({ to }) => this.#compactions.add({ team: to, result: 'done' }),
    'session-compaction-failed': ({ to }) => this.#compactions.add({ team: to, result: 'failed' }),
    'config-reloaded': () => this.#reloads.add({ result: 'reloaded' }),
    'config-rejected': () => this.#reloads.add({ result: 'rejected' }),
  }

  constructor(events$: Observable<PublishedEvent>) {
    events$.subscribe((event) => this.#counted[event.type]?.(event as never))
  }

  get families(): Family[] {
    const turns = [this.#accepted, this.#settled, this.#durations, this.#waits, this.#tokens, this.#cost]
    const permissions = [this.#asked, this.#answers, this.#answerTimes]
    const processes = [this.#starts, this.#exits, this.#errors, this.#breakers]
    return [...turns, ...permissions, ...processes, this.#compactions, this.#reloads].map(({ family }) => family)
  }

  #ended({ to: team, outcome, durationMs, queuedMs, usage }: Extract<PublishedEvent, { type: 'turn-settled' }>): void {
    this.#settled.add({ team, outcome })
    this.#durations.series({ team }).observe(durationMs / 1000)
    if (queuedMs !== null) this.#waits.series({ team }).observe(queuedMs / 1000)
    if (usage === null) return
    const { inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens, costUsd = 0 } = usage
    this.#tokens.add({ team, kind: 'input' }, inputTokens)
    this.#tokens.add({ team, kind: 'output' }, outputTokens)
    this.#tokens.add({ team, kind: 'cache_read' }, cacheReadTokens)
    this.#tokens.add({ team, kind: 'cache_write' }, cacheWriteTokens)
    this.#cost.add({ team }, costUsd)
  }

  #answered({ team, state, askedAt, decidedAt }: PermissionView): void {
    this.#answers.add({ team, answer: state })
    if (decidedAt !== null) this.#answerTimes.series({ answer: state }).observe((decidedAt - askedAt) / 1000)
  }
}

/** The label `how` for the end of a process. */
function howOf({ code, signal }: { readonly code: number | null; readonly signal: string | null }): string {
  if (signal !== null) return 'killed'
  return code === 0 ? 'done' : 'failed'
}
