import { useParams, useSearch } from '@tanstack/react-router'
import { pairTitle } from '../../shared/format/asker.ts'
import { useOpened } from '../../shared/inbox/use-opened.ts'
import { QueryView } from '../../shared/ui/query-view.tsx'
import { Screen } from '../../shared/ui/screen.tsx'
import { useAskerNames } from '../../shared/ui/use-asker-names.ts'
import { Composer } from './composer.tsx'
import { ConversationHeader } from './conversation-header.tsx'
import { texts } from './texts.ts'
import { TurnList } from './turn-list.tsx'
import { useConversation } from './use-session-turns.ts'

/** One conversation of a pair: its messages and answers as they happen, and a field to write in it. */
export function ConversationScreen() {
  const { sessionId } = useParams({ from: '/conversations/$sessionId' })
  const { turn, find } = useSearch({ from: '/conversations/$sessionId' })
  const query = useConversation(sessionId)
  const { data } = query
  const nameOf = useAskerNames(data ? [data.from] : [])
  useOpened(sessionId)
  return (
    // As high as the window, so that the turns get the remaining height.
    <div className="flex h-[calc(100dvh-3rem-1px-var(--strip,0px)-env(safe-area-inset-bottom))] min-h-128 flex-col lg:h-auto lg:min-h-0 lg:flex-1">
      <Screen
        title={data ? pairTitle(data, nameOf) : texts.conversation}
        actions={data && <ConversationHeader conversation={data} />}
      >
        <QueryView query={query} what={texts.theConversation}>
          {(conversation) => (
            <div className="flex min-h-0 flex-1 flex-col gap-3">
              <TurnList key={`${sessionId} ${turn}`} conversation={conversation} goTo={turn} words={find} />
              <Composer key={sessionId} conversation={conversation} />
            </div>
          )}
        </QueryView>
      </Screen>
    </div>
  )
}
