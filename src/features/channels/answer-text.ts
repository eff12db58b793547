import { isUnseen } from '../../base/lib/visible.ts'
import type { Reason } from '../../base/protocol/turn.ts'
import type { TurnHandle, TurnStatus } from '../../kernel/accept/turn-handle.ts'
import type { TurnEnd } from '../../kernel/turn/turn.ts'

type Ended = Pick<TurnEnd, 'outcome' | 'reason' | 'detail' | 'answer' | 'partial'>

/** Characters. Platforms refuse larger files, and the owner has those. */
const maxOfFile = 8 * 1024 * 1024

/** The post that answers a message, and the whole of it where it has only the beginning. Undefined: the turn has not ended. */
export async function answerOf(turn: Pick<TurnHandle, 'status' | 'longText'>, note: string | null) {
  const status = await turn.status()
  const text = status && answerText(status, note)
  if (text === undefined) return undefined
  const long = await turn.longText('answer', 0, maxOfFile)
  const isWhole = long !== undefined && long.length <= maxOfFile
  return { text, whole: (isWhole && answerText(status!, note, long.text)) || text }
}

/**
 * The post that answers a message, after a note if there is one. `whole`: the whole text, where the status has only its
 * beginning. Undefined: the turn has not ended.
 */
export function answerText(status: TurnStatus, note: string | null, whole?: string): string | undefined {
  const isLive = 'live' in status
  const end = isLive ? status.live.end : status.row
  if (end === undefined || end.outcome === null) return undefined
  const reset = (isLive ? status.live.contextReset : status.row.contextReset) === null ? null : fresh
  return [note ?? reset, said(withText(end, end.outcome, whole))].filter((part) => part !== null).join('\n\n')
}

function withText(end: Omit<Ended, 'outcome'>, outcome: Ended['outcome'], whole: string | undefined): Ended {
  if (whole === undefined) return { ...end, outcome }
  return { ...end, outcome, ...(outcome === 'completed' ? { answer: whole } : { partial: whole }) }
}

/** The detail of a turn that ended because its message changed begins so, and is shown. */
export const withdrawn = 'Withdrawn: '

const fresh = 'This is a new conversation: the last one came to its end.'

/** Omits why something failed: reasons name paths and programs, which only the owner may see. */
function said({ outcome, reason, detail, answer, partial }: Ended): string {
  const begun = partial && !isUnseen(partial) ? `${partial.trim()}\n\n` : ''
  switch (outcome) {
    case 'completed':
      return answer && !isUnseen(answer)
        ? answer.trim()
        : '(The agent finished without saying anything. Ask it what it did.)'
    case 'cancelled':
      return `${begun}(${detail?.startsWith(withdrawn) ? detail : 'Stopped.'})`
    case 'timed_out':
      return `${begun}(It took too long.)`
    case 'in_doubt':
      return `${begun}(Interrupted: nobody knows how far it came. Ask again if you need it.)`
    case 'failed': {
      // The agent has the message: what was blocked is Iris's request to go on.
      const why = reason === 'blocked_by_hook' && begun !== '' ? 'stopped_by_hook' : reason
      return `${begun}(${(why && endings[why]) ?? 'This could not be answered. Ask again later.'})`
    }
  }
}

/** Failures after which it does not help to ask again later. */
const endings: Partial<Record<Reason, string>> = {
  cut: 'The answer was cut off here. Ask for the rest.',
  paused: 'The answer was cut off here. Ask for the rest.',
  model_refusal: 'The model declined to answer this. Say it in other words.',
  blocked_by_hook: 'A hook of the project did not let this message through. Its owner can change that.',
  tool_deferred: 'A hook of the project put a tool off. Ask the agent what became of it.',
  stopped_by_hook: 'A hook of the project stopped the agent here. Its owner can change that.',
}
