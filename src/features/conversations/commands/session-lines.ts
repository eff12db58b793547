import type { Output } from '../../../adapters/client/tool-call.ts'
import { columns } from '../../../app/cli/columns.ts'
import { durationText } from '../../../app/cli/moment.ts'
import { systemClock } from '../../../base/lib/clock.ts'
import { askerName, shownPair } from '../../../base/protocol/pair.ts'
import { standingOf } from '../../../base/protocol/standing.ts'

type ListedSession = Output<'list_sessions'>['sessions'][number]

export function sessionLines({ sessions, nextCursor }: Output<'list_sessions'>, width: number): readonly string[] {
  if (sessions.length === 0) return ['No conversations. "iris tell <team> <message>" begins one.']
  const lines = columns(width, [['pair', 'state', 'answered', 'context', 'used', 'session'], ...sessions.map(cellsOf)])
  return nextCursor === undefined ? lines : [...lines, `For more, add --cursor ${nextCursor}`]
}

function cellsOf(session: ListedSession): readonly string[] {
  const { messageCount, queueLength, contextTokens, contextWindow, lastUsedAt } = session
  const share = contextTokens === undefined || contextWindow === undefined ? '' : percent(contextTokens / contextWindow)
  return [
    shownPair(session),
    standingOf(session),
    `${messageCount}${queueLength > 0 ? ` +${queueLength}` : ''}`,
    share,
    `${durationText(Math.max(0, systemClock.now() - lastUsedAt))} ago`,
    session.sessionId,
  ]
}

export function percent(share: number): string {
  return `${Math.round(share * 100)} %`
}

export function messageLines({ message }: { readonly message: string }): readonly string[] {
  return [message]
}

export function cancelLines({ message, ended = [] }: Output<'session_cancel'>): readonly string[] {
  return [message, ...ended.map((turn) => `  ${turn.turnId}  ${shownPair(turn)}  ${turn.outcome}`)]
}

export function forkLines(forked: Output<'session_fork'>): readonly string[] {
  return [
    `${shownPair(forked)} is now a separate conversation (${forked.sessionId}).`,
    `Ask there: iris tell ${forked.to} --from ${askerName(forked.from)} --thread ${forked.thread} "<message>"`,
    `By hand:   ${forked.terminalCommand}`,
  ]
}

export function deleteLines({ message, deletedFiles }: Output<'session_delete'>): readonly string[] {
  return [message, ...deletedFiles.map((file) => `  deleted ${file}`)]
}

export function noticeLines({ from, to, thread, pending, changes = [] }: Output<'notify'>): readonly string[] {
  const next = `the next message of ${shownPair({ from, to, thread })}`
  return [
    pending === 1
      ? `It will be delivered with ${next}.`
      : `It will be delivered with ${next}, as will ${pending - 1} more.`,
    ...changes,
  ]
}
