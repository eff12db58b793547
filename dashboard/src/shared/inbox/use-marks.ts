import { useQueryClient } from '@tanstack/react-query'
import { useCallback, useEffect, useRef } from 'react'
import { call, type Input, type Output, type Problem } from '../api/operations.ts'
import { useNotices } from '../ui/notices.tsx'
import { type Marking, marksBack, type Undo, withoutRows } from './marks.ts'
import { texts } from './texts.ts'

/** How long a mark can be undone. */
const undoMs = 10_000

/** Marks rows of the inbox at once, and can undo that; Iris learns of it meanwhile. */
export function useMarks() {
  const queries = useQueryClient()
  const tell = useNotices()
  const last = useRef<Undo>(undefined)
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  useEffect(() => () => clearTimeout(timer.current), [])
  const again = useCallback(
    () => Promise.all(['list_inbox', 'get_inbox'].map((name) => queries.invalidateQueries({ queryKey: [name] }))),
    [queries],
  )
  const send = useCallback(
    async (input: Input<'mark_inbox'>) => {
      try {
        const { left } = await call('mark_inbox', input)
        if (left[0] !== undefined) tell(left[0].why, { isTrouble: true })
      } catch (error) {
        const { message, remedy } = error as Problem
        tell(`${message} ${remedy}`, { isTrouble: true })
      }
      await again()
    },
    [tell, again],
  )
  const undo = useCallback(async () => {
    const { sent, marks } = last.current ?? {}
    last.current = undefined
    await sent
    for (const mark of marks ?? []) await send(mark)
  }, [send])
  const mark = useCallback(
    async ({ rows, change, said }: Marking) => {
      await queries.cancelQueries({ queryKey: ['list_inbox'] })
      const gone = new Set(rows.map(({ sessionId }) => sessionId))
      queries.setQueriesData<Output<'list_inbox'>>({ queryKey: ['list_inbox'] }, (data) => withoutRows(data, gone))
      const subjects = rows.flatMap(({ items }) => items.map(({ subject }) => subject))
      last.current = { sent: send({ subjects, ...change }), marks: marksBack(rows) }
      clearTimeout(timer.current)
      timer.current = setTimeout(() => (last.current = undefined), undoMs)
      tell(said, { action: { label: texts.undo, run: () => void undo() } })
    },
    [queries, send, tell, undo],
  )
  return { mark, undo, send }
}
