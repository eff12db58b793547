import type { Task } from '../../base/agent/run.ts'
import { whoMayChangeIt } from '../../claude/driver/endings.ts'
import { workingTeam } from '../../platform/config/former-teams.ts'
import type { OrchestratorParts } from '../recover/parts.ts'
import type { Recovery } from '../recover/recovery.ts'
import type { Session } from '../session/session.ts'
import type { Turn } from '../turn/turn.ts'
import { ended, recovered, stopped, type Verdict, verdict } from '../turn/verdict.ts'
import type { DeliveryEnd } from './deliver.ts'
import { withLoginAdvice } from './refused-login.ts'
import { backgroundTimeoutOf } from './time-limits.ts'

/** The end of a delivery that by itself decides how the turn ended. Recovery decides about the other ends. */
export type Judged = Exclude<DeliveryEnd, { kind: 'died' | 'known' }>

/** The verdict on a delivery, unless its process exited on its own: recovery decides about that. */
export async function judgeDelivery(
  turn: Turn,
  end: Judged,
  session: Session,
  { config, at }: Pick<OrchestratorParts, 'config' | 'at'>,
  recovery: Recovery,
): Promise<Verdict> {
  const { responseTimeout, sessionInitTimeout, maxSilence } = config().settings
  const text = turn.partialText
  switch (end.kind) {
    case 'result':
      at('result-read', turn)
      return {
        ...withLoginAdvice(ofResult(turn, end, text), workingTeam(config(), session.to)?.account?.tokenFile),
        background: leftRunning(end.commands),
      }
    case 'cancelled':
      return { ...stopped(turn), usage: end.usage ?? null }
    case 'background_timeout': {
      const detail = `Its background work did not report within ${backgroundTimeoutOf(config(), session.to)} ms (backgroundTimeout), so Iris stopped it: ${taskNames(end.tasks)}. The partial response has everything said before that.`
      return { ...ended('timed_out', 'background_timeout', detail, text), usage: end.usage ?? null }
    }
    case 'tool_unanswered':
    case 'no_tool_ran':
    case 'sent_on_by_hook': {
      const detail = `${end.why}. Iris interrupted the turn. ${remedies[end.kind]}`
      return { ...ended('timed_out', end.kind, detail, text), usage: end.usage ?? null }
    }
    case 'hung':
      return ended(
        'timed_out',
        'hung',
        `The process was silent for ${responseTimeout} ms and did not respond to a check, so Iris ended it. The next message resumes the conversation.${hookText(end.hooks)}`,
        text,
      )
    case 'never_began':
      return ended(
        'failed',
        'init_timeout',
        `The new session said nothing within ${sessionInitTimeout} ms, so Iris ended its process.${hookText(end.hooks)}`,
        text,
      )
    case 'wrong_session':
      return ended(
        'failed',
        'session_mismatch',
        `Claude Code answered from session ${end.sessionId} instead of ${session.sessionId}, so Iris ended its process.`,
        text,
      )
    case 'no_progress': {
      // Some builds lose the result line of a turn that was answered.
      const record = await recovery.read(turn.delivery!)
      if (record.kind === 'answered') return recovery.answered(record)
      const detail = `The model said nothing for ${maxSilence} ms and no tool was running, so Iris interrupted the turn.${hookText(end.hooks)}`
      return ended('timed_out', 'no_progress', detail, text)
    }
  }
}

/** An accepted value is the answer, even if the agent's text after it was cut off. */
function ofResult({ value }: Turn, { result, signs }: Extract<Judged, { kind: 'result' }>, text: string): Verdict {
  const end = verdict(result, signs, text)
  const isCut = end.reason === 'cut' || end.reason === 'paused'
  return value !== undefined && isCut && !result.isError ? { ...recovered(text), usage: end.usage } : end
}

const remedies = {
  tool_unanswered: 'Look at the MCP server of that tool.',
  no_tool_ran: 'Its answers may be cut off: ask for less at once.',
  sent_on_by_hook: `What the agent has said is in the partial response. ${whoMayChangeIt}`,
}

function hookText(hooks: readonly string[]): string {
  return hooks.length === 0 ? '' : ` A hook had not ended: ${hooks.join(', ')}. /hooks in claude lists them.`
}

function leftRunning(commands: readonly Task[]): Verdict['background'] {
  return commands.length === 0 ? null : commands.map(({ command, since }) => ({ command, since }))
}

function taskNames(tasks: readonly Task[]): string {
  return tasks.map(({ tool, type, description }) => `${tool || type} "${description}"`).join(', ')
}

/**
 * The verdict when Claude Code refuses a message as already received, and there is no record of how the message ended.
 */
export function hadBefore(turn: Turn): Verdict {
  const detail =
    'Claude Code had already received this message and does not start it again, but Iris found no record of how it ended. Check the project, then ask again.'
  return ended('in_doubt', 'interrupted', detail, turn.partialText)
}

/** The verdict on a turn whose process exited on its own at every delivery. */
export function diedTooOften(
  turn: Turn,
  { how, stderr }: Extract<DeliveryEnd, { kind: 'died' }>,
  times: number,
): Verdict {
  const last = stderr.trim().split('\n').at(-1) ?? ''
  return ended('failed', 'process_died', `claude ended ${how} each of ${times} times. ${last}`.trim(), turn.partialText)
}

/**
 * How to stop the process of an ended delivery. After an answer, the process may still have to write the answer to
 * disk.
 */
export function stopManner({ kind }: DeliveryEnd): 'busy' | 'now' {
  return kind === 'result' ? 'busy' : 'now'
}
