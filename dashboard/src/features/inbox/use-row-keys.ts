import { useNavigate } from '@tanstack/react-router'
import type { KeyboardEvent, RefObject } from 'react'
import { openItems } from '../../shared/inbox/marks.ts'
import type { RowActions } from './item-row.tsx'
import { type KeyAction, keyAction } from './keys.ts'
import type { Answering } from './quick-answer.tsx'
import type { Row } from './retrying.ts'
import { idOf, rowOf, type useRowFocus } from './use-row-focus.ts'

interface RowKeys extends Pick<RowActions, 'onDone' | 'onLater' | 'onSelect'> {
  readonly list: RefObject<HTMLElement | null>
  readonly rows: readonly Row[]
  readonly focus: ReturnType<typeof useRowFocus>
  readonly hasLetters: boolean
  readonly answers: ReadonlyMap<string, Answering>
  readonly undo: () => Promise<void>
  readonly onPeek: (row: Row | undefined) => void
  readonly onHelp: () => void
}

/** Handles a key that was pressed in the list: it acts on the row that has the focus, and on no other. */
export function useRowKeys(keys: RowKeys): (event: KeyboardEvent<HTMLElement>) => void {
  const navigate = useNavigate()
  const { list, rows, focus, hasLetters, answers, onPeek } = keys
  const act = (action: KeyAction, row: Row): void => {
    const { sessionId } = row.session
    const answering = answers.get(sessionId)
    const isOpen = openItems(row).length > 0
    if (action === 'open') {
      if (answering?.confirm()) return
      void navigate({ to: '/conversations/$sessionId', params: { sessionId } })
    } else if (action === 'leave') {
      if (!answering?.leave()) onPeek(undefined)
    } else if (action === 'peek') onPeek(row)
    else if (action === 'allow' || action === 'deny') {
      if (focus.isStill(sessionId)) answering?.press(action)
    } else if (action === 'request')
      rowOf(list.current, sessionId)?.querySelector<HTMLElement>('[data-permission]')?.focus()
    else if (action === 'done' && isOpen) keys.onDone([row])
    else if (action === 'later' && isOpen) keys.onLater([row])
    else if (action === 'retry') rowOf(list.current, sessionId)?.querySelector<HTMLElement>('[data-retry]')?.click()
    else if (action === 'select') keys.onSelect(row)
  }
  return (event) => {
    const target = event.target as HTMLElement
    // A dialog that belongs to the list is inside it in the page, so its keys arrive here too.
    if (target.closest('dialog, [role=menu]') !== null) return
    const isField = target.closest('input:not([type=checkbox]), textarea, select') !== null
    const isRow = target.matches('[data-row], [data-permission]')
    const isRequest = target.closest('[data-permission]') !== null
    const action = keyAction(event, { isRow, isRequest, isField, hasLetters })
    if (action === undefined) return
    event.preventDefault()
    if (action === 'next') focus.move(1)
    else if (action === 'previous') focus.move(-1)
    else if (action === 'undo') void keys.undo()
    else if (action === 'help') keys.onHelp()
    else {
      const row = rows.find(({ session }) => session.sessionId === idOf(target))
      if (row !== undefined) act(action, row)
    }
  }
}
