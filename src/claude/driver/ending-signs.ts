import { isOfModel, isSystem, type Line } from '../../base/agent/line.ts'
import type { MissingServer } from '../../base/agent/run-result.ts'
import { isRecord } from '../../base/lib/is-record.ts'
import { missingServers } from './setup-report.ts'

/** A hook of the user, the project or a plugin that stopped Claude Code. */
export interface HookStop {
  /** `PreToolUse`, `UserPromptSubmit`, … */
  readonly event: string
  /** The event with the hook's tool or source, such as `PreToolUse:Bash`. */
  readonly name: string
  /** The hook's own words; undefined if it gave no reason, or gave it in a form that Iris cannot read. */
  readonly reason: string | undefined
  /** True if the hook ended the turn, false if it wanted the agent to continue. */
  readonly isEnd: boolean
}

/** How a prompt ended before the model was asked. */
export interface PromptEnd {
  /** The name in newer builds; for older ones, parsed from the CLI's text. */
  readonly kind: string
  readonly reason: string | undefined
  /** Whether the prompt stays in the conversation, so that the model reads it with the next one. */
  readonly isKept: boolean
}

/** Information about the end of a delivery from lines other than the result. */
export interface EndingSigns {
  /** The last hook that blocked or stopped something since the model spoke last. */
  readonly hook: HookStop | undefined
  readonly prompt: PromptEnd | undefined
  /**
   * The CLI's name for the error that ended the turn, such as `max_output_tokens`; 2.1.330 also has it in the result.
   */
  readonly error: string | undefined
  /** The HTTP status of the API's last refusal; null if there was none, or if the model has answered since. */
  readonly retriedStatus: number | null
  /** MCP servers that the agent did not have when the turn began. */
  readonly missingServers: readonly MissingServer[]
}

export const noSigns: EndingSigns = {
  hook: undefined,
  prompt: undefined,
  error: undefined,
  retriedStatus: null,
  missingServers: [],
}

/** Reads the signs of an end from the lines of one delivery, in order. */
export class EndingSignsReader {
  #signs: EndingSigns = noSigns

  get signs(): EndingSigns {
    return this.#signs
  }

  take(line: Line): void {
    if (line.type === 'assistant' && typeof line['parent_tool_use_id'] !== 'string') this.#takeMessage(line)
    else if (isSystem(line, 'init')) this.#note({ missingServers: missingServers(line) })
    else if (isSystem(line, 'api_retry')) this.#takeRetry(line)
    else if (isSystem(line, 'hook_response')) this.#note({ hook: hookStopIn(line) ?? this.#signs.hook })
    else if (isSystem(line, 'informational') && line['prevent_continuation'] === true) {
      this.#note({ prompt: promptEndIn(line) })
    }
  }

  #takeMessage(line: Line): void {
    if (isOfModel(line)) this.#note({ hook: undefined, retriedStatus: null })
    else if (typeof line['error'] === 'string') this.#note({ error: line['error'] })
  }

  #takeRetry({ error_status: status }: Line): void {
    if (typeof status === 'number') this.#note({ retriedStatus: status })
  }

  #note(signs: Partial<EndingSigns>): void {
    this.#signs = { ...this.#signs, ...signs }
  }
}

/**
 * Whether the CLI printed the line only because Iris asks for hook events; the hook events at a process's start are
 * printed in any case.
 */
export function isHookEvent(line: Line): boolean {
  return line.type === 'system' && hookEvents.has(String(line.subtype)) && line['hook_event'] !== 'SessionStart'
}

const hookEvents = new Set(['hook_started', 'hook_progress', 'hook_response'])

/** The names of the hooks that a process has started and that have not ended. */
export class RunningHooks {
  readonly #names = new Map<unknown, string>()

  take(line: Line): void {
    if (isSystem(line, 'hook_started')) this.#names.set(line['hook_id'], String(line['hook_name']))
    else if (isSystem(line, 'hook_response')) this.#names.delete(line['hook_id'])
  }

  get names(): readonly string[] {
    return [...this.#names.values()]
  }
}

/** Parses a `hook_response` line. A hook blocks with exit code 2 and its stderr, or with JSON on its stdout. */
export function hookStopIn(line: Line): HookStop | undefined {
  const stop = { event: String(line['hook_event']), name: String(line['hook_name']) }
  const said = jsonIn(line['stdout'])
  if (said?.['continue'] === false) return { ...stop, reason: words(said['stopReason']), isEnd: true }
  if (said?.['decision'] === 'block') return { ...stop, reason: words(said['reason']), isEnd: false }
  return line['exit_code'] === 2 ? { ...stop, reason: words(line['stderr']), isEnd: false } : undefined
}

function jsonIn(text: unknown): Record<string, unknown> | undefined {
  if (typeof text !== 'string' || !text.trimStart().startsWith('{')) return undefined
  try {
    const value: unknown = JSON.parse(text)
    return isRecord(value) ? value : undefined
  } catch {
    return undefined
  }
}

/** 2.1.197 reports what happened to the prompt only in its text; for a blocked prompt, this text repeats the prompt. */
function promptEndIn(line: Line): PromptEnd {
  const outcome = line['prompt_submit_outcome']
  if (isRecord(outcome)) {
    const kind = words(outcome['kind']) ?? 'no_verdict'
    return { kind, reason: words(outcome['reason']), isKept: outcome['prompt_kept'] === true }
  }
  const stopped = /^Operation stopped by hook:?\s*([\s\S]*)/.exec(String(line['content']))
  if (stopped) return { kind: 'stopped_by_hook', reason: words(stopped[1]), isKept: true }
  return { kind: 'blocked_by_hook', reason: undefined, isKept: false }
}

function words(text: unknown): string | undefined {
  return typeof text === 'string' && text.trim() !== '' ? text.trim() : undefined
}
