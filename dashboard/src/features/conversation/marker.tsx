import type { ReactNode } from 'react'
import { compact } from '../../shared/format/figures.ts'
import { clockTime } from '../../shared/format/times.ts'
import { texts } from './texts.ts'
import type { Conversation, ListedTurn } from './use-session-turns.ts'

type Compaction = Conversation['compactions'][number]

interface MarkerProps {
  readonly turn: ListedTurn | undefined
  readonly before: ListedTurn | undefined
  readonly compactions: readonly Compaction[]
}

/** What happened to the conversation between two turns: it was compacted, or had to start over. */
export function Marker({ turn, before, compactions }: MarkerProps) {
  if (turn === undefined) return null
  const since = before?.acceptedAt ?? turn.acceptedAt
  return (
    <>
      <Compactions compactions={compactions.filter(({ at }) => at > since && at <= turn.acceptedAt)} />
      {turn.contextReset !== undefined && <Line>{texts.theConversationStartedOver(turn.contextReset)}</Line>}
    </>
  )
}

/** What happened to the conversation after its last turn. */
export function EndMarker({ turn, compactions }: Omit<MarkerProps, 'before'>) {
  return turn && <Compactions compactions={compactions.filter(({ at }) => at > turn.acceptedAt)} />
}

function Compactions({ compactions }: { readonly compactions: readonly Compaction[] }) {
  return compactions.map((compaction) => (
    <Line key={compaction.at}>
      {wordsOf(compaction)} · {clockTime(compaction.at)}
    </Line>
  ))
}

function wordsOf({ beforeTokens, afterTokens, failure }: Compaction): string {
  if (failure !== undefined) return texts.couldNotBeShortened(failure)
  const from = beforeTokens === undefined ? '' : texts.shortenedFrom(compact(beforeTokens))
  const to = afterTokens === undefined ? '' : texts.shortenedTo(compact(afterTokens))
  return texts.theConversationWasMade + from + to
}

function Line({ children }: { readonly children: ReactNode }) {
  return (
    <p className="text-muted before:border-line after:border-line flex items-center gap-3 py-2 text-xs before:flex-1 before:border-t after:flex-1 after:border-t">
      <span className="max-w-[80%] text-center wrap-anywhere">{children}</span>
    </p>
  )
}
