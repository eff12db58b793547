import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { call, type Output, type Problem } from '../../../shared/api/operations.ts'
import { useOperation } from '../../../shared/api/use-operation.ts'
import { askerName, asksText, threadText } from '../../../shared/format/asker.ts'
import { dayAndHour } from '../../../shared/format/times.ts'
import { useCompose } from '../../../shared/message/message-dialog.tsx'
import { wishesNotifications, wishNotifications } from '../../../shared/notifications/wish.ts'
import { useAskerNames } from '../../../shared/ui/use-asker-names.ts'
import { useRested } from '../../../shared/ui/use-rested.ts'
import { screens } from '../../screens.ts'
import { texts as appTexts } from '../../texts.ts'
import { lineOf } from './line-of.ts'
import { texts } from './texts.ts'

/** Something to go to, or to do. */
export interface Entry {
  readonly key: string
  readonly kind: keyof typeof texts.kinds
  readonly title: string
  /** A note beside the title. */
  readonly note?: string
  /** Additional words that also find this entry. */
  readonly also?: string
  readonly run: () => void
}

const mostOfAKind = 6
/** More than the palette shows: Iris does not search the names of people in chats, so the page does. */
const mostSessions = 200
const mostLetters = 200

/** The entries that fit the words, in the order in which they are offered. */
export function useEntries(words: string): readonly Entry[] {
  const navigate = useNavigate()
  const compose = useCompose()
  const { data: listed } = useOperation('list_teams', {})
  const used = useSessions(words.trim())
  const nameOf = useAskerNames(used.map(({ from }) => from))
  const found = useFound(words.trim())
  const teams = listed?.teams.map(({ name }) => name) ?? []
  const actions: Entry[] = [
    { key: 'new', kind: 'action', title: texts.newConversation, run: () => compose() },
    {
      key: 'notify',
      kind: 'action',
      title: wishesNotifications() ? texts.notificationsOff : texts.notificationsOn,
      run: () => void wishNotifications(!wishesNotifications()),
    },
    ...screens.map(
      ({ to, icon }): Entry => ({
        key: to,
        kind: 'action',
        title: texts.goTo(appTexts.screenNames[icon]),
        run: () => void navigate({ to }),
      }),
    ),
    ...teams.map(
      (team): Entry => ({
        key: `to ${team}`,
        kind: 'action',
        title: texts.messageTo(team),
        run: () => compose(team),
      }),
    ),
  ]
  const ofTeams = teams.map(
    (team): Entry => ({
      key: `team ${team}`,
      kind: 'team',
      title: team,
      note: texts.itsConversations,
      run: () => void navigate({ to: '/switchboard', search: { team } }),
    }),
  )
  const conversations = used.map(
    ({ sessionId, from, to, thread }): Entry => ({
      key: sessionId,
      kind: 'conversation',
      title: `${nameOf(from)} → ${to}`,
      also: `${from} ${sessionId}`,
      ...(thread !== 'main' && { note: threadText(thread) }),
      run: () => void navigate({ to: '/conversations/$sessionId', params: { sessionId } }),
    }),
  )
  const messages = found.map(
    ({ sessionId, turnId, from, to, where, at, snippet }): Entry => ({
      key: `${turnId} ${where}`,
      kind: 'message',
      title: lineOf(snippet),
      note: `${where === 'message' ? asksText(from, to) : texts.answers(to, askerName(from))} · ${dayAndHour(at)}`,
      run: () =>
        void navigate({
          to: '/conversations/$sessionId',
          params: { sessionId },
          search: { turn: turnId, find: words.trim() },
        }),
    }),
  )
  const own = [ofTeams, conversations, actions].flatMap((entries) => fitting(entries, words).slice(0, mostOfAKind))
  return [...own, ...messages.slice(0, mostOfAKind)]
}

/** The entries that contain every word; without words, all of them. */
function fitting(entries: readonly Entry[], words: string): Entry[] {
  const wanted = words.toLowerCase().split(/\s+/).filter(Boolean)
  return entries.filter(({ title, note = '', also = '' }) => {
    const said = `${title} ${note} ${also}`.toLowerCase()
    return wanted.every((word) => said.includes(word))
  })
}

/** The conversations with these words, as Iris finds them; without words, the last used ones. */
function useSessions(words: string): Output<'list_sessions'>['sessions'] {
  const rested = useRested(words, 150).slice(0, mostLetters)
  const input = { limit: mostSessions, ...(rested !== '' && { query: rested }) }
  const { data } = useQuery<Output<'list_sessions'>, Problem>({
    queryKey: ['list_sessions', input],
    queryFn: ({ signal }) => call('list_sessions', input, { signal }),
    placeholderData: keepPreviousData,
  })
  return data?.sessions ?? []
}

type Hit = Output<'search_messages'>['hits'][number]

/** Messages and answers with these words; none for less than two letters. */
function useFound(words: string): readonly Hit[] {
  const rested = useRested(words, 150)
  const { data } = useQuery<Output<'search_messages'>, Problem>({
    queryKey: ['search_messages', { query: rested, limit: mostOfAKind }],
    queryFn: ({ signal }) => call('search_messages', { query: rested, limit: mostOfAKind }, { signal }),
    enabled: rested.length > 1,
    placeholderData: keepPreviousData,
    staleTime: 0,
  })
  return words.length > 1 ? (data?.hits ?? []) : []
}
