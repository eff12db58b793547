import type { ReactNode } from 'react'
import { compact } from '../../shared/format/figures.ts'
import { clockTime } from '../../shared/format/times.ts'
import type { Conversation, ListedTurn } from './use-session-turns.ts'

interface MarkerProps {
  readonly turn: ListedTurn | undefined
  readonly before: ListedTurn | undefined
  readonly compactions: Conversation['compactions']
}

/** What happened to the conversation between two turns: it was made shorter, or had to start afresh. */
export function Marker({ turn, before, compactions }: MarkerProps) {
  if (turn === undefined) return null
  const since = before?.acceptedAt ?? turn.acceptedAt
  const between = compactions.filter(({ at }) => at > since && at <= turn.acceptedAt)
  return (
    <>
      {between.map(({ at, beforeTokens, afterTokens, failure }) => (
        <Line key={at}>
          {failure === undefined ? 'Made shorter' : `Could not be made shorter: ${failure}`}
          {failure === undefined && beforeTokens !== undefined && ` from ${compact(beforeTokens)} tokens`}
          {failure === undefined && afterTokens !== undefined && ` to ${compact(afterTokens)}`} · {clockTime(at)}
        </Line>
      ))}
      {turn.contextReset !== undefined && <Line>The conversation began afresh: {turn.contextReset}</Line>}
    </>
  )
}

function Line({ children }: { readonly children: ReactNode }) {
  return (
    <p className="text-muted before:border-line after:border-line flex items-center gap-3 pb-3 text-xs before:flex-1 before:border-t after:flex-1 after:border-t">
      <span className="max-w-[80%] text-center wrap-anywhere">{children}</span>
    </p>
  )
}
