import { useWindowVirtualizer } from '@tanstack/react-virtual'
import { useLayoutEffect, useRef, useState } from 'react'
import type { Session } from './changes.ts'
import { type ColumnName, contextShare } from './columns.ts'
import { SessionActions } from './session-actions.tsx'
import { Figure, type Teams } from './session-figures.tsx'
import type { SessionsProps } from './sessions-table.tsx'
import { texts } from './texts.ts'

/** The table on a narrow screen: one card per session, scrolled with the page. */
export function SessionCards({ sessions, teams, onVerb }: SessionsProps) {
  const list = useRef<HTMLUListElement>(null)
  const [top, setTop] = useState(0)
  // The content above the list may have grown or disappeared.
  useLayoutEffect(() => setTop((list.current?.getBoundingClientRect().top ?? 0) + window.scrollY), [sessions])
  const cards = useWindowVirtualizer({
    count: sessions.length,
    estimateSize: () => 132,
    getItemKey: (index) => sessions[index]!.sessionId,
    scrollMargin: top,
    overscan: 4,
  })
  return (
    <ul ref={list} aria-label={texts.conversationsList} className="relative" style={{ height: cards.getTotalSize() }}>
      {cards.getVirtualItems().map(({ index, key, start }) => {
        const session = sessions[index]!
        return (
          <li
            key={key}
            ref={cards.measureElement}
            data-index={index}
            data-session={session.sessionId}
            className="absolute inset-x-0 pb-2"
            style={{ transform: `translateY(${start - top}px)` }}
          >
            <Card session={session} teams={teams}>
              <SessionActions session={session} teams={teams} onVerb={onVerb} />
            </Card>
          </li>
        )
      })}
    </ul>
  )
}

interface CardProps {
  readonly session: Session
  readonly teams: Teams
  readonly children: React.ReactNode
}

function Card({ session, teams, children }: CardProps) {
  return (
    <article className="border-line bg-panel flex flex-col gap-2 rounded-lg border p-3">
      <div className="flex items-center justify-between gap-2">
        <h2 className="min-w-0 flex-1 font-medium">
          <Figure name="pair" session={session} teams={teams} />
        </h2>
        {children}
      </div>
      <div className="flex flex-wrap items-center gap-2">
        <Figure name="state" session={session} teams={teams} />
        {contextShare(session) !== undefined && <Figure name="context" session={session} teams={teams} />}
      </div>
      <dl className="grid grid-cols-3 gap-x-3 gap-y-1 text-xs">
        {known(session).map((name) => (
          <div key={name}>
            <dt className="text-muted">{texts.columns[name]}</dt>
            <dd className="tabular-nums">
              <Figure name={name} session={session} teams={teams} />
            </dd>
          </div>
        ))}
      </dl>
    </article>
  )
}

/** The figures that a card shows: it has no room for dashes in place of unknown ones. */
function known({ queueLength, lastAnswerAt, costUsd }: Session) {
  const names: readonly (ColumnName | false)[] = [
    'messages',
    queueLength > 0 && 'queue',
    lastAnswerAt !== undefined && 'lastAnswer',
    costUsd > 0 && 'cost',
  ]
  return names.filter((name) => name !== false)
}
