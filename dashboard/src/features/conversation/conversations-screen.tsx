import { useNavigate, useSearch } from '@tanstack/react-router'
import { useId } from 'react'
import { Screen } from '../../shared/ui/screen.tsx'
import { ConversationList } from './conversation-list.tsx'
import { SearchResults } from './search-results.tsx'
import { texts } from './texts.ts'

/** All conversations, and a field to look for words in them. The address contains the words. */
export function ConversationsScreen() {
  const { query = '' } = useSearch({ from: '/conversations' })
  const navigate = useNavigate()
  const field = useId()
  const look = (text: string): void =>
    void navigate({ to: '/conversations', search: text === '' ? {} : { query: text }, replace: true })
  return (
    <Screen title={texts.conversations}>
      <search className="flex flex-col gap-1">
        <label htmlFor={field} className="font-medium">
          {texts.searchAllConversations}
        </label>
        <input
          id={field}
          type="search"
          value={query}
          maxLength={500}
          onChange={({ target }) => look(target.value)}
          placeholder={texts.wordsOrExactlyThese}
          className="border-line bg-panel w-full max-w-xl rounded-md border px-3 py-1.5"
        />
      </search>
      {query.trim() === '' ? <ConversationList /> : <SearchResults query={query} />}
    </Screen>
  )
}
