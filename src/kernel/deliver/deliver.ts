import type { Line } from '../../base/agent/line.ts'
import type { AgentProcess } from '../../base/agent/process.ts'
import type { Prompt, RunEnd, RunListener, Task } from '../../base/agent/run.ts'
import type { ClaudeResult } from '../../base/agent/run-result.ts'
import type { Clock } from '../../base/lib/clock.ts'
import type { Usage } from '../../base/protocol/turn.ts'
import { type EndingSigns, EndingSignsReader, isHookEvent } from '../../claude/driver/ending-signs.ts'
import { wasInterrupted } from '../../claude/driver/endings.ts'
import type { Turn } from '../turn/turn.ts'
import { ProgressWatch } from './progress-watch.ts'
import { Silence, type SilenceLimits } from './silence.ts'

/** How a delivery ended. */
export type DeliveryEnd =
  | {
      readonly kind: 'result'
      readonly result: ClaudeResult
      readonly signs: EndingSigns
      /** Commands that are still running in the background. */
      readonly commands: readonly Task[]
    }
  /** The process exited on its own. */
  | { readonly kind: 'died'; readonly how: string; readonly stderr: string }
  /** Claude Code had already received this delivery, and does not begin it again. */
  | { readonly kind: 'known' }
  /** `usage` is present if the turn was interrupted and its result reported it. */
  | { readonly kind: 'cancelled'; readonly usage?: Usage }
  /**
   * `no_progress`: the turn was interrupted after too long a silence; its process is alive. `hooks`: the hooks that had
   * not ended.
   */
  | { readonly kind: 'hung' | 'never_began' | 'no_progress'; readonly hooks: readonly string[] }
  /**
   * A tool of an MCP server did not answer, or the model kept asking for tools that never ran, or a hook kept the turn
   * running.
   */
  | {
      readonly kind: 'tool_unanswered' | 'no_tool_ran' | 'sent_on_by_hook'
      readonly why: string
      readonly usage?: Usage
    }
  /** The model had answered, but its background work took too long. */
  | { readonly kind: 'background_timeout'; readonly tasks: readonly Task[]; readonly usage?: Usage }
  | { readonly kind: 'wrong_session'; readonly sessionId: string }

type Ending = Exclude<DeliveryEnd, { kind: 'result' | 'died' | 'known' }>

export interface DeliveryLimits extends SilenceLimits {
  /** The longest time allowed between a turn's own result and the last report of its background work. */
  readonly backgroundTimeoutMs: number
}

interface DeliverParts {
  readonly clock: Clock
  readonly limits: DeliveryLimits
  readonly onLine: (line: Line) => void
  readonly drained: RunListener['drained']
  /** Called with the reason when the turn seems to make no progress, and with undefined when it progresses again. */
  readonly onStuck: (why: string | undefined) => void
  /** Called when the message has been written to the process's pipe. */
  readonly onWritten: () => void
}

/** How long an interrupted turn may take to report its result before the process is ended. */
const interruptGraceMs = 5000
/**
 * If the interrupt comes before the turn begins, the message stays queued. Iris waits this long for the turn to begin,
 * then withdraws the message.
 */
const startGraceMs = 1000

/** What an earlier daemon gave the process: this delivery, and later the messages that joined the turn. */
export interface GivenBefore {
  readonly joined: readonly string[]
}

/** Gives Claude one delivery and monitors it until it ends. */
export async function deliver(
  process: AgentProcess,
  turn: Turn,
  uuid: string,
  prompt: Prompt | GivenBefore,
  parts: DeliverParts,
): Promise<DeliveryEnd> {
  const { clock } = parts
  const began = Promise.withResolvers<boolean>()
  let ending: Ending | undefined
  const reader = new EndingSignsReader()
  let cancelKill = (): void => {}
  let cancelWait = (): void => {}

  const stopBecause = async (why: Ending): Promise<void> => {
    if (ending !== undefined) return
    ending = why
    if (why.kind === 'hung' || why.kind === 'never_began') return void (await process.stop('now'))
    if (why.kind === 'wrong_session') return void (await process.stop('busy'))
    cancelKill = clock.machine.after(interruptGraceMs, () => void process.stop('busy'))
    const cancelMoment = clock.machine.after(startGraceMs, () => began.resolve(false))
    const hasBegun = await began.promise
    cancelMoment()
    if (!hasBegun && (await process.withdraw(uuid, interruptGraceMs).catch(() => false))) return
    await process.interrupt(interruptGraceMs).catch(() => process.stop('busy'))
  }
  const progress = new ProgressWatch(parts.onStuck)
  const silence = watchSilence(process, parts, progress, (why) => void stopBecause(why))
  const onCancel = (): void => void stopBecause({ kind: 'cancelled' })

  const listener: RunListener = {
    onSign: () => silence.sign(),
    onForeign: (sessionId) => void stopBecause({ kind: 'wrong_session', sessionId }),
    drained: parts.drained,
    onTool: () => progress.toolRuns(),
    onWait: () => {
      const limit = (): number => parts.limits.backgroundTimeoutMs
      const onOver = (): void => void stopBecause({ kind: 'background_timeout', tasks: process.answeringTasks })
      cancelWait = whenOver(clock, limit, onOver)
    },
    onLine: (line) => {
      began.resolve(true)
      reader.take(line)
      progress.take(line)
      if (progress.over !== undefined) void stopBecause(progress.over)
      if (!isHookEvent(line)) parts.onLine(line)
    },
  }
  const run =
    'joined' in prompt ? process.continueRun(uuid, prompt.joined, listener) : process.run(uuid, prompt, listener)
  if (!('joined' in prompt)) parts.onWritten()
  if (turn.cancelled.aborted) onCancel()
  else turn.cancelled.addEventListener('abort', onCancel)

  const end = await run
  silence.end()
  cancelKill()
  cancelWait()
  turn.cancelled.removeEventListener('abort', onCancel)
  return endOf(end, ending, reader.signs)
}

function watchSilence(
  process: AgentProcess,
  { clock, limits }: Pick<DeliverParts, 'clock' | 'limits'>,
  progress: ProgressWatch,
  stopBecause: (why: Ending) => void,
): Silence {
  return new Silence(
    limits,
    process,
    clock,
    (kind) =>
      stopBecause(kind === 'tool_unanswered' ? { kind, why: progress.why } : { kind, hooks: process.hooks.names }),
    (tool, ms) => progress.toolIsSilent(tool, ms),
  )
}

const mayHaveUsage = new Set<Ending['kind']>([
  'cancelled',
  'background_timeout',
  'tool_unanswered',
  'no_tool_ran',
  'sent_on_by_hook',
])

function endOf(end: RunEnd, ending: Ending | undefined, signs: EndingSigns): DeliveryEnd {
  // An answer from another conversation does not count. A complete answer that arrived despite an interrupt does.
  if (ending?.kind === 'wrong_session') return ending
  if (end.kind === 'result' && (ending === undefined || !wasInterrupted(end.result))) return { ...end, signs }
  const used = 'result' in end ? { usage: end.result.usage } : {}
  if (ending !== undefined && mayHaveUsage.has(ending.kind)) return { ...ending, ...used }
  if (ending !== undefined) return ending
  if (end.kind === 'known') return end
  const { exit, stderr } = end as Extract<typeof end, { kind: 'exited' }>
  return { kind: 'died', how: exit.signal ? `by ${exit.signal}` : `with code ${exit.code}`, stderr }
}

/**
 * Calls `onOver` when the limit has passed. Before that, reads the limit again, since it may have changed. Returns a
 * function that cancels this.
 */
function whenOver(clock: Clock, limitMs: () => number, onOver: () => void): () => void {
  const since = clock.elapsed()
  let cancel = (): void => {}
  const look = (): void => {
    const left = limitMs() - (clock.elapsed() - since)
    if (left <= 0) onOver()
    else cancel = clock.after(left, look)
  }
  cancel = clock.after(limitMs(), look)
  return () => cancel()
}
