import { useQuery } from '@tanstack/react-query'
import { useEffect } from 'react'
import { call, type Output, type Problem } from '../api/operations.ts'

/** Marks the answers of this conversation as opened while the reader looks at it. */
export function useOpened(sessionId: string | undefined): void {
  const { data } = useQuery<Output<'list_inbox'>, Problem>({
    queryKey: ['list_inbox', {}],
    queryFn: ({ signal }) => call('list_inbox', {}, { signal }),
    enabled: sessionId !== undefined,
  })
  const row = data?.rows.find(({ session }) => session.sessionId === sessionId)
  const unread = row?.items.filter(({ kind, state }) => kind === 'answer' && state === 'new') ?? []
  const subjects = unread.map(({ subject }) => subject).join(' ')
  useEffect(() => {
    if (subjects === '' || document.hidden) return
    // If this fails, the answers are marked the next time the reader looks at them.
    void call('mark_inbox', { subjects: subjects.split(' '), state: 'opened' }).catch(() => {})
  }, [subjects])
}
