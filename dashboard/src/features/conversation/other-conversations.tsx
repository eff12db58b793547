import { Link } from '@tanstack/react-router'
import { useOperation } from '../../shared/api/use-operation.ts'
import { threadText } from '../../shared/format/asker.ts'
import { Badge } from '../../shared/ui/badge.tsx'
import { TimeSince } from '../../shared/ui/time-since.tsx'
import { texts } from './texts.ts'
import type { Conversation } from './use-session-turns.ts'

/** The most conversations that are listed. */
const most = 100

/** Links to the pair's conversations, archived ones included. */
export function OtherConversations({ conversation }: { readonly conversation: Conversation }) {
  const { from, to, isArchived } = conversation
  const { data } = useOperation('list_sessions', { from, to, status: 'all', limit: most })
  const sessions = data?.sessions ?? []
  return (
    <>
      {isArchived && <Badge>{texts.archived}</Badge>}
      {sessions.length > 1 && (
        <details className="relative">
          <summary className="border-line bg-panel hover:bg-raised cursor-pointer rounded-md border px-3 py-1 font-medium">
            {texts.countOfPair(`${sessions.length}${sessions.length < most ? '' : '+'}`)}
          </summary>
          <nav aria-label={texts.conversationsOfThisPair}>
            <ul className="border-line bg-panel absolute right-0 z-20 mt-1 max-h-80 w-72 max-w-[calc(100vw-2rem)] overflow-auto rounded-md border p-1 shadow-lg">
              {sessions.map(({ sessionId, thread, status, lastUsedAt }) => (
                <li key={sessionId}>
                  <Link
                    to="/conversations/$sessionId"
                    params={{ sessionId }}
                    className="hover:bg-raised data-[status=active]:bg-raised block rounded px-2 py-1"
                  >
                    <span className="font-medium">{threadText(thread) || texts.mainThread}</span>
                    {status === 'archived' && <span className="text-muted">{texts.archivedSuffix}</span>}
                    <span className="text-muted block text-xs">
                      {texts.lastUsed}
                      <TimeSince at={lastUsedAt} />
                    </span>
                  </Link>
                </li>
              ))}
            </ul>
          </nav>
        </details>
      )}
    </>
  )
}
