import { lazy, Suspense, useCallback, useEffect, useRef, useState } from 'react'
import type { StreamFrame } from '../../../../src/adapters/client/event-stream.ts'
import { openItems } from '../../shared/inbox/marks.ts'
import { useFrames } from '../../shared/stream/live-provider.tsx'
import { Button } from '../../shared/ui/button.tsx'
import { InTurn } from '../../shared/ui/in-turn.tsx'
import { ItemRow } from './item-row.tsx'
import type { InboxPlace } from './place-tabs.tsx'
import type { Answering } from './quick-answer.tsx'
import { type Retrying, type Row, saysTheEnd, withRetrying } from './retrying.ts'
import { texts } from './texts.ts'
import { useLetters } from './use-letters.ts'
import { rowOf, useRowFocus } from './use-row-focus.ts'
import { useRowKeys } from './use-row-keys.ts'
import { useRowMarks } from './use-row-marks.ts'

// These load with the first action, because the first view does not need them.
const KeyHelp = lazy(async () => ({ default: (await import('./opened/key-help.tsx')).KeyHelp }))
const LaterDialog = lazy(async () => ({ default: (await import('./opened/later-dialog.tsx')).LaterDialog }))
const SelectionBar = lazy(async () => ({ default: (await import('./opened/selection-bar.tsx')).SelectionBar }))

interface InboxListProps {
  readonly place: InboxPlace
  readonly listed: readonly Row[]
  /** How far Iris's clock is ahead of this browser's, in milliseconds. */
  readonly skewMs: number
  readonly onPeek: (row: Row | undefined) => void
}

/** The rows of one place, each in the section of its most urgent item, and what the keys do with them. */
export function InboxList({ place, listed, skewMs, onPeek }: InboxListProps) {
  const { retrying, onRetried } = useRetrying(listed)
  const parts = partsOf(withRetrying(listed, retrying), place)
  const rows = parts.flatMap((part) => part.rows)
  const list = useRef<HTMLDivElement>(null)
  const focus = useRowFocus(
    list,
    rows.map(({ session }) => session.sessionId),
  )
  useFirstFocus(list, rows)
  const { hasLetters, change } = useLetters()
  const [isHelping, setHelping] = useState(false)
  const { selected, clear, later, setLater, putOff, undo, ...marks } = useRowMarks(skewMs)
  const answers = useRef(new Map<string, Answering>()).current
  const register = useCallback(
    (id: string, answering: Answering | undefined) =>
      void (answering ? answers.set(id, answering) : answers.delete(id)),
    [answers],
  )
  const actions = { ...marks, onLater: setLater, onRetried, register }
  const chosen = rows.filter(({ session }) => selected.has(session.sessionId))
  const onHelp = (): void => setHelping(true)
  const onKeyDown = useRowKeys({ list, rows, focus, hasLetters, answers, undo, onPeek, onHelp, ...actions })
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: keys of its rows arrive here
    <div ref={list} onKeyDown={onKeyDown} onFocus={({ target }) => focus.note(target)} className="flex flex-col gap-4">
      {chosen.length > 0 && (
        <Suspense>
          <SelectionBar rows={chosen} onClear={clear} {...actions} />
        </Suspense>
      )}
      {parts.map(({ title, rows: of }) => (
        <section key={title} aria-label={title} className="flex flex-col gap-1">
          <h2 className="text-muted font-semibold">{title}</h2>
          <ul className="border-line bg-panel divide-line divide-y rounded-lg border">
            {of.map((row) => (
              <InTurn key={row.session.sessionId} isFirst={row === rows[0]}>
                <ItemRow
                  row={row}
                  isCurrent={row.session.sessionId === focus.current}
                  isSelected={selected.has(row.session.sessionId)}
                  isRetrying={retrying.some((each) => each.row.session.sessionId === row.session.sessionId)}
                  onDrawn={focus.look}
                  {...actions}
                />
              </InTurn>
            ))}
          </ul>
        </section>
      ))}
      {rows.length > 0 && (
        <Button look="quiet" className="self-start max-sm:hidden" onClick={onHelp}>
          {texts.keys}
        </Button>
      )}
      <Suspense>
        {later !== undefined && (
          <LaterDialog deadline={deadlineOf(later, skewMs)} onChoose={putOff} onClose={() => setLater(undefined)} />
        )}
        {isHelping && <KeyHelp hasLetters={hasLetters} onChange={change} onClose={() => setHelping(false)} />}
      </Suspense>
    </div>
  )
}

/** The first deadline of questions in these rows, by the clock of this browser. */
function deadlineOf(rows: readonly Row[], skewMs: number): number | undefined {
  const deadlines = rows.flatMap((row) => openItems(row).flatMap(({ deadline }) => deadline ?? []))
  return deadlines.length === 0 ? undefined : Math.min(...deadlines) - skewMs
}

type Part = keyof typeof texts.sections
const partOfKind: Record<Row['items'][number]['kind'], Part> = {
  question: 'waiting',
  expired: 'expired',
  failed: 'failed',
  broken: 'failed',
  openElsewhere: 'openElsewhere',
  undelivered: 'failed',
  event: 'failed',
  answer: 'news',
}
const order: readonly Part[] = ['waiting', 'expired', 'failed', 'openElsewhere', 'pinned', 'news']

function partsOf(rows: readonly Row[], place: InboxPlace): readonly { title: string; rows: readonly Row[] }[] {
  if (place !== 'inbox') return rows.length === 0 ? [] : [{ title: texts.places[place], rows }]
  const partOf = ({ items: [top], isPinned }: Row): Part =>
    top === undefined || (isPinned && top.kind === 'answer') ? 'pinned' : partOfKind[top.kind]
  const byPart = Map.groupBy(rows, partOf)
  return order.flatMap((part) => {
    const of = byPart.get(part)
    return of === undefined ? [] : [{ title: texts.sections[part], rows: of }]
  })
}

/** Messages that were retried here, until the list says how the retries ended. */
function useRetrying(listed: readonly Row[]) {
  const [all, setAll] = useState<readonly Retrying[]>([])
  const [settled, setSettled] = useState<ReadonlySet<string>>(new Set())
  const take = useCallback(({ type, data }: StreamFrame) => {
    if (type === 'turn-settled')
      setSettled((before) => new Set([...before, (data as { turnId: string }).turnId].slice(-100)))
  }, [])
  useFrames(take)
  const retrying = all.filter((each) => !settled.has(each.turnId) && !saysTheEnd(listed, each))
  const onRetried = (row: Row, turnId: string): void =>
    setAll([...retrying, { row, turnId, place: listed.indexOf(row) }])
  return { retrying, onRetried }
}

/** When the page opens, focuses the first row that needs somebody, unless something has the focus already. */
function useFirstFocus(list: { readonly current: HTMLElement | null }, rows: readonly Row[]): void {
  const isOver = useRef(false)
  const first = rows.find(({ tier }) => tier === 'needs')?.session.sessionId
  useEffect(() => {
    if (isOver.current || first === undefined) return
    isOver.current = true
    const at = document.activeElement
    if (at === null || at === document.body || at.tagName === 'MAIN')
      rowOf(list.current, first)?.focus({ preventScroll: true })
  }, [first, list])
}
