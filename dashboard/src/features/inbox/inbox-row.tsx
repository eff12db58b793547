import { Link } from '@tanstack/react-router'
import { memo } from 'react'
import { plainLine } from '../../../../src/base/lib/plain-line.ts'
import { standingOf } from '../../../../src/base/protocol/standing.ts'
import type { Output } from '../../shared/api/operations.ts'
import { useLiveText } from '../../shared/stream/live-provider.tsx'
import { StandingBadge } from '../../shared/turns/standing-badge.tsx'
import { TeamName } from '../../shared/ui/team-name.tsx'
import { ThreadTag } from '../../shared/ui/thread-tag.tsx'
import { TimeSince } from '../../shared/ui/time-since.tsx'
import { texts } from './texts.ts'

/** How many characters at the end of a live text are searched for its last line. */
const mostRead = 2000

export type InboxSession = Output<'get_inbox'>['sessions'][number]

/** One conversation that needs nobody: a link to it with its last message and answer in a line each. */
export const InboxRow = memo(function InboxRow({ session }: { readonly session: InboxSession }) {
  const { sessionId, from, to, thread, lastTurn, lastUsedAt } = session
  return (
    <li data-session={sessionId} className="flex flex-col gap-2 px-3 py-2">
      <Link
        to="/conversations/$sessionId"
        params={{ sessionId }}
        className="hover:bg-raised -mx-2 flex flex-col gap-0.5 rounded-md px-2 py-1"
      >
        <span className="flex flex-wrap items-center gap-x-2 gap-y-1">
          <TeamName name={from} />
          <span aria-label={texts.asks}>→</span>
          <TeamName name={to} />
          <ThreadTag thread={thread} />
          <StandingBadge session={session} />
          {session.queueLength > 0 && <span className="text-muted text-xs">{texts.queued(session.queueLength)}</span>}
          <span className="text-muted order-2 ml-auto text-xs sm:order-none">
            <TimeSince at={lastTurn?.settledAt ?? lastTurn?.acceptedAt ?? lastUsedAt} />
          </span>
          <span aria-hidden="true" className="basis-full sm:hidden" />
          {lastTurn && (
            <span dir="auto" className="order-1 min-w-0 flex-1 truncate sm:basis-full">
              {plainLine(lastTurn.message)}
            </span>
          )}
        </span>
        <LastLine session={session} />
      </Link>
    </li>
  )
})

/**
 * The last line that a working conversation has written, else its last answer; nothing if the message above belongs to
 * another turn.
 */
function LastLine({ session: { lastTurn, runningTurnId }, session }: { readonly session: InboxSession }) {
  const live = useLiveText(runningTurnId ?? '')
  if (lastTurn === undefined || (runningTurnId ?? lastTurn.turnId) !== lastTurn.turnId) return null
  const isWorking = runningTurnId !== undefined || standingOf(session) === 'working'
  const text = isWorking ? lastLineOf(live ?? '') : plainLine(lastTurn.text ?? '')
  return text === '' ? null : (
    <span dir="auto" className="text-muted truncate">
      {text}
    </span>
  )
}

/** The fence of a code block has no text, so the line before the fence is shown. */
function lastLineOf(text: string): string {
  const lines = text.slice(-mostRead).split('\n')
  return plainLine(lines.findLast((line) => plainLine(line) !== '') ?? '')
}
