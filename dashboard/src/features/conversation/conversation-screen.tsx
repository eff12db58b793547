import { useParams, useSearch } from '@tanstack/react-router'
import { askerName } from '../../shared/format/asker.ts'
import { QueryView } from '../../shared/ui/query-view.tsx'
import { Screen } from '../../shared/ui/screen.tsx'
import { Composer } from './composer.tsx'
import { ConversationHeader } from './conversation-header.tsx'
import { texts } from './texts.ts'
import { TurnList } from './turn-list.tsx'
import { useConversation } from './use-session-turns.ts'

/** One conversation of a pair: what was asked and answered, as it happens, and a field to say something oneself. */
export function ConversationScreen() {
  const { sessionId } = useParams({ from: '/conversations/$sessionId' })
  const { turn, find } = useSearch({ from: '/conversations/$sessionId' })
  const query = useConversation(sessionId)
  const { data } = query
  const thread = data && data.thread !== 'main' ? ` (${data.thread})` : ''
  return (
    <Screen
      title={data ? `${askerName(data.from)} → ${data.to}${thread}` : texts.conversation}
      actions={data && <ConversationHeader conversation={data} />}
    >
      <QueryView query={query} what={texts.theConversation}>
        {(conversation) => (
          // The turns have what the window leaves; below it, on a narrow screen, most of it.
          <div className="flex h-[calc(100dvh-8rem)] min-h-96 flex-col gap-3 lg:h-auto lg:min-h-0 lg:flex-1">
            <TurnList key={`${sessionId} ${turn}`} conversation={conversation} goTo={turn} words={find} />
            <Composer key={sessionId} conversation={conversation} />
          </div>
        )}
      </QueryView>
    </Screen>
  )
}
