import { useState } from 'react'
import { plainLine } from '../../../../src/base/lib/plain-line.ts'
import { useOperation } from '../../shared/api/use-operation.ts'
import { Button } from '../../shared/ui/button.tsx'
import { fieldLook, SearchField } from '../../shared/ui/search-field.tsx'
import { Empty } from '../../shared/ui/states.tsx'
import { TimeSince } from '../../shared/ui/time-since.tsx'
import { texts } from './texts.ts'
import type { Conversation, Overview, Place } from './use-chat.ts'

interface ChatListProps {
  readonly overview: Overview
  readonly chosen: Place | undefined
  readonly onChoose: (place: Place) => void
}

/** The person's own conversations, the last used first; with a search, those that contain the words. */
export function ChatList({ overview, chosen, onChoose }: ChatListProps) {
  const [query, setQuery] = useState('')
  const words = query.trim()
  return (
    <div className="flex min-h-0 flex-1 flex-col gap-3 p-3">
      <NewConversation overview={overview} onChoose={onChoose} />
      <SearchField
        label={texts.searchYours}
        placeholder={texts.search}
        value={query}
        onChange={setQuery}
        className="w-full"
      />
      <div className="min-h-0 flex-1 overflow-y-auto">
        {words === '' ? (
          <Conversations all={overview.conversations} chosen={chosen} onChoose={onChoose} />
        ) : (
          <Found query={words} onChoose={onChoose} />
        )}
      </div>
    </div>
  )
}

function NewConversation({ overview: { teams }, onChoose }: Omit<ChatListProps, 'chosen'>) {
  const [team, setTeam] = useState('')
  const to = team === '' ? teams[0]?.name : team
  if (to === undefined) return <Empty title={texts.noTeam} />
  const description = teams.find(({ name }) => name === to)?.description
  return (
    <div className="flex flex-col gap-1">
      <div className="flex gap-2">
        <select
          aria-label={texts.team}
          value={to}
          onChange={({ target }) => setTeam(target.value)}
          className={`${fieldLook} min-w-0 flex-1`}
        >
          {teams.map(({ name }) => (
            <option key={name}>{name}</option>
          ))}
        </select>
        <Button onClick={() => onChoose({ team: to, conversation: crypto.randomUUID().slice(0, 8) })}>
          {texts.newConversation}
        </Button>
      </div>
      {description !== undefined && <p className="text-muted text-xs wrap-anywhere">{description}</p>}
    </div>
  )
}

interface ConversationsProps {
  readonly all: readonly Conversation[]
  readonly chosen: Place | undefined
  readonly onChoose: (place: Place) => void
}

function Conversations({ all, chosen, onChoose }: ConversationsProps) {
  if (all.length === 0) return <p className="text-muted">{texts.none}</p>
  return (
    <ul aria-label={texts.yours} className="flex flex-col gap-1">
      {all.map(({ team, conversation, title, lastUsedAt, isWorking }) => {
        const isChosen = chosen?.team === team && chosen.conversation === conversation
        return (
          <li key={`${team} ${conversation}`}>
            <button
              type="button"
              aria-current={isChosen ? 'true' : undefined}
              onClick={() => onChoose({ team, conversation })}
              className="hover:bg-raised aria-[current]:bg-raised flex w-full flex-col rounded-md px-2 py-1.5 text-left"
            >
              <span dir="auto" className="line-clamp-2 wrap-anywhere">
                {plainLine(title) || texts.untitled}
              </span>
              <span className="text-muted text-xs">
                {team}, {isWorking ? texts.working : <TimeSince at={lastUsedAt} />}
              </span>
            </button>
          </li>
        )
      })}
    </ul>
  )
}

function Found({ query, onChoose }: { readonly query: string; readonly onChoose: (place: Place) => void }) {
  const { data, error } = useOperation('viewer_search', { query })
  if (error) return <p role="alert">{error.message}</p>
  if (data === undefined) return <p role="status">{texts.searching}</p>
  if (data.hits.length === 0) return <p role="status">{texts.nothingFound}</p>
  return (
    <ul aria-label={texts.found} className="flex flex-col gap-1">
      {data.hits.map(({ team, conversation, at, snippet }) => (
        <li key={`${team} ${conversation} ${at} ${snippet.map(({ text }) => text).join('')}`}>
          <button
            type="button"
            onClick={() => onChoose({ team, conversation })}
            className="hover:bg-raised flex w-full flex-col rounded-md px-2 py-1.5 text-left"
          >
            <span dir="auto" className="line-clamp-3 wrap-anywhere">
              {snippet.map(({ text, isMatch }, index) =>
                // biome-ignore lint/suspicious/noArrayIndexKey: pieces of one text have an order and nothing else.
                isMatch ? <mark key={index}>{text}</mark> : <span key={index}>{text}</span>,
              )}
            </span>
            <span className="text-muted text-xs">{team}</span>
          </button>
        </li>
      ))}
    </ul>
  )
}
