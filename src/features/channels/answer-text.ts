import { isUnseen } from '../../base/lib/visible.ts'
import type { Reason } from '../../base/protocol/turn.ts'
import type { TurnHandle, TurnStatus } from '../../kernel/accept/turn-handle.ts'
import type { TurnEnd } from '../../kernel/turn/turn.ts'

type Ended = Pick<TurnEnd, 'outcome' | 'reason' | 'detail' | 'answer' | 'partial'>

/** Platforms refuse larger files. The owner can read longer answers in the dashboard. */
const maxPostedFileCharacters = 8 * 1024 * 1024

/**
 * The post that answers a message: `text`, and `whole` with the complete answer, because a status contains only the
 * beginning of a long answer. Undefined if the turn has not ended.
 */
export async function answerOf(turn: Pick<TurnHandle, 'status' | 'longText'>, note: string | null) {
  const status = await turn.status()
  if (status === undefined) return undefined
  const text = answerText(status, note)
  if (text === undefined) return undefined
  const long = await turn.longText('answer', 0, maxPostedFileCharacters)
  if (long === undefined || long.length > maxPostedFileCharacters) return { text, whole: text }
  return { text, whole: answerText(status, note, long.text) ?? text }
}

/**
 * The post that answers a message, with the note before it if there is one. `whole`: the agent's complete text, if the
 * status contains only its beginning. Undefined if the turn has not ended.
 */
export function answerText(status: TurnStatus, note: string | null, whole?: string): string | undefined {
  const { contextReset } = 'live' in status ? status.live : status.row
  const end = 'live' in status ? status.live.end : status.row
  if (!isEnded(end)) return undefined
  const reset = contextReset === null ? null : newConversationText()
  return [note ?? reset, endText(withText(end, whole))].filter((part) => part !== null).join('\n\n')
}

type MaybeEnded = Omit<Ended, 'outcome'> & { readonly outcome: Ended['outcome'] | null }

function isEnded(end: MaybeEnded | undefined): end is Ended {
  return end !== undefined && end.outcome !== null
}

function withText(end: Ended, whole: string | undefined): Ended {
  if (whole === undefined) return end
  return { ...end, ...(end.outcome === 'completed' ? { answer: whole } : { partial: whole }) }
}

/**
 * The prefix of a turn's detail when the turn ended because its message changed. Only a detail with this prefix is
 * shown in the chat.
 */
export const withdrawnPrefix = 'Withdrawn: '

/** The note that the chat gets with the first answer of a new conversation. */
export function newConversationText(why = 'the last one came to its end.'): string {
  return `This is a new conversation: ${why}`
}

/**
 * The chat's text about the end of a turn. Omits why something failed, because such details name paths and programs,
 * which only the owner may see.
 */
function endText({ outcome, reason, detail, answer, partial }: Ended): string {
  const beginning = partial && !isUnseen(partial) ? `${partial.trim()}\n\n` : ''
  switch (outcome) {
    case 'completed':
      return answer && !isUnseen(answer)
        ? answer.trim()
        : '(The agent finished without saying anything. Ask it what it did.)'
    case 'cancelled':
      return `${beginning}(${detail?.startsWith(withdrawnPrefix) ? detail : 'Stopped.'})`
    case 'timed_out':
      return `${beginning}(It took too long.)`
    case 'in_doubt':
      return `${beginning}(Interrupted: it is unknown how far it got. Ask again if you need it.)`
    case 'failed': {
      // If there is a beginning, the agent has read the message; the hook blocked only Iris's request to continue.
      const why = reason === 'blocked_by_hook' && beginning !== '' ? 'stopped_by_hook' : reason
      return `${beginning}(${(why && endings[why]) ?? "This couldn't be answered. Ask again later."})`
    }
  }
}

/** Failures with their own advice, because asking again later does not help. */
const endings: Partial<Record<Reason, string>> = {
  cut: 'The answer was cut off here. Ask for the rest.',
  paused: 'The answer was cut off here. Ask for the rest.',
  model_refusal: 'The model declined to answer this. Rephrase it.',
  blocked_by_hook: 'A hook of the project did not let this message through. Its owner can change that.',
  tool_deferred: 'A hook of the project postponed a tool. Ask the agent what became of it.',
  stopped_by_hook: 'A hook of the project stopped the agent here. Its owner can change that.',
}
