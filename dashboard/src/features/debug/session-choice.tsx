import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import type { Output } from '../../shared/api/operations.ts'
import { useOperation } from '../../shared/api/use-operation.ts'
import { askerName, pairTitle } from '../../shared/format/asker.ts'
import { StandingBadge } from '../../shared/turns/standing-badge.tsx'
import { useUrgent } from '../../shared/turns/use-urgent.ts'
import { QueryView } from '../../shared/ui/query-view.tsx'
import { SearchField } from '../../shared/ui/search-field.tsx'
import { Empty } from '../../shared/ui/states.tsx'
import { TimeSince } from '../../shared/ui/time-since.tsx'
import { texts } from './texts.ts'

type Session = Output<'list_sessions'>['sessions'][number]

/** The number of sessions requested at once, the last used first. */
const limit = 200

export function SessionChoice({ chosen }: { readonly chosen: string | undefined }) {
  const [sought, setSought] = useState('')
  const query = useOperation('list_sessions', { status: 'all', limit })
  const urgent = useUrgent()
  const words = sought.toLowerCase().split(/\s+/)
  const fits = ({ from, to, thread, sessionId }: Session): boolean =>
    words.every((word) => `${askerName(from)} ${to} ${thread} ${sessionId}`.toLowerCase().includes(word))
  return (
    <nav aria-label={texts.conversations} className="flex min-w-0 flex-col gap-2">
      <SearchField label={texts.findInNamesThreads} placeholder={texts.find} value={sought} onChange={setSought} />
      <QueryView query={query} what={texts.theConversations}>
        {({ sessions, nextCursor }) => (
          <>
            <Choices sessions={sessions.filter(fits)} urgent={urgent} chosen={chosen} hasAny={sessions.length > 0} />
            {nextCursor !== undefined && (
              <p className="text-muted text-xs">
                {texts.theseAreTheUsed(limit)}
                {sought.trim() !== '' && (
                  <>
                    {' '}
                    <Link to="/debug" search={{ session: sought.trim() }} className="text-accent underline">
                      {texts.openTheId(sought.trim())}
                    </Link>
                  </>
                )}
              </p>
            )}
          </>
        )}
      </QueryView>
    </nav>
  )
}

interface ChoicesProps {
  readonly sessions: readonly Session[]
  readonly urgent: ReturnType<typeof useUrgent>
  readonly chosen: string | undefined
  readonly hasAny: boolean
}

function Choices({ sessions, urgent, chosen, hasAny }: ChoicesProps) {
  if (!hasAny) return <Empty title={texts.thereIsNoConversation} />
  if (sessions.length === 0) return <Empty title={texts.noConversationMatches} />
  return (
    <ul className="border-line bg-panel divide-line max-h-60 divide-y overflow-auto rounded-lg border lg:max-h-[75dvh]">
      {sessions.map(({ sessionId, from, to, thread, lastUsedAt, ...session }) => (
        <li key={sessionId}>
          <Link
            to="/debug"
            search={{ session: sessionId }}
            aria-current={sessionId === chosen ? 'true' : undefined}
            className="hover:bg-raised aria-current:bg-raised flex flex-wrap items-center gap-x-2 gap-y-1 px-3 py-2 -outline-offset-2"
          >
            <span className="min-w-0 flex-1 font-medium wrap-anywhere">{pairTitle({ from, to, thread })}</span>
            <StandingBadge session={urgent.get(sessionId) ?? session} />
            <span className="text-muted w-full text-xs">
              <span className="font-mono">{sessionId.slice(0, 8)}</span>
              {texts.usedLast}
              <TimeSince at={lastUsedAt} />
            </span>
          </Link>
        </li>
      ))}
    </ul>
  )
}
