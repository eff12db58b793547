import { useEffect, useState } from 'react'
import { useOperation } from '../../shared/api/use-operation.ts'
import { Button } from '../../shared/ui/button.tsx'
import { titleScreen } from '../../shared/ui/page-title.ts'
import { QueryView } from '../../shared/ui/query-view.tsx'
import { Empty } from '../../shared/ui/states.tsx'
import { ChatComposer } from './chat-composer.tsx'
import { ChatList } from './chat-list.tsx'
import { ChatTurns } from './chat-turns.tsx'
import { texts } from './texts.ts'
import { type Overview, type Place, useChatStream, useChatTurns } from './use-chat.ts'

/** The chat page: the person's own conversations, and the chosen one. A narrow screen shows one or the other. */
export function ChatScreen() {
  const isLive = useChatStream()
  const query = useOperation('viewer_overview', {})
  const [chosen, choose] = useChosen()
  useEffect(() => {
    titleScreen(texts.chat)
  }, [])
  return (
    <div className="flex h-[calc(100dvh-3rem-1px-var(--strip,0px)-env(safe-area-inset-bottom))] min-h-0 flex-col lg:h-auto lg:flex-1">
      <h1 className="sr-only">{texts.chat}</h1>
      {!isLive && (
        <p role="status" className="bg-raised px-3 py-1 text-xs">
          {texts.connecting}
        </p>
      )}
      <QueryView query={query} what={texts.yourConversations}>
        {(overview) => (
          <div className="flex min-h-0 flex-1">
            <section
              aria-label={texts.conversations}
              className={`${chosen ? 'hidden md:flex' : 'flex'} border-line min-h-0 w-full flex-col md:w-72 md:shrink-0 md:border-r`}
            >
              <ChatList overview={overview} chosen={chosen} onChoose={choose} />
            </section>
            <section
              aria-label={texts.conversation}
              className={`${chosen ? 'flex' : 'hidden md:flex'} min-h-0 min-w-0 flex-1 flex-col`}
            >
              {chosen ? (
                <Chosen place={chosen} overview={overview} onLeave={() => choose(undefined)} />
              ) : (
                <div className="p-5">
                  <Empty title={texts.choose} />
                </div>
              )}
            </section>
          </div>
        )}
      </QueryView>
    </div>
  )
}

interface ChosenProps {
  readonly place: Place
  readonly overview: Overview
  readonly onLeave: () => void
}

function Chosen({ place, overview: { isOwner }, onLeave }: ChosenProps) {
  const query = useChatTurns(place)
  const { team, conversation } = place
  return (
    <>
      <div className="border-line flex items-center gap-2 border-b px-3 py-2">
        <Button className="md:hidden" onClick={onLeave}>
          {texts.all}
        </Button>
        <h2 className="min-w-0 flex-1 font-semibold wrap-anywhere">{team}</h2>
      </div>
      <QueryView query={query} what={texts.theConversation}>
        {({ turns, next }) => (
          <>
            {next !== undefined && <p className="text-muted px-3 pt-2 text-xs">{texts.newestOnly}</p>}
            <ChatTurns key={`${team} ${conversation}`} turns={turns} team={team} isOwner={isOwner} />
          </>
        )}
      </QueryView>
      <ChatComposer key={`${team} ${conversation} field`} team={team} conversation={conversation} />
    </>
  )
}

/** The chosen conversation is in the address, `#backend/3f2a9c01`, so that a reloaded page shows it again. */
function useChosen() {
  const [chosen, setChosen] = useState(() => placeIn(location.hash))
  useEffect(() => {
    const follow = (): void => setChosen(placeIn(location.hash))
    addEventListener('hashchange', follow)
    return () => removeEventListener('hashchange', follow)
  }, [])
  const choose = (place: Place | undefined): void => {
    location.hash = place === undefined ? '' : `${encodeURIComponent(place.team)}/${place.conversation}`
    setChosen(place)
  }
  return [chosen, choose] as const
}

function placeIn(hash: string): Place | undefined {
  const [, team, conversation] = /^#([^/]+)\/([a-z0-9-]+)$/.exec(hash) ?? []
  return team === undefined || conversation === undefined ? undefined : { team: decodeURIComponent(team), conversation }
}
