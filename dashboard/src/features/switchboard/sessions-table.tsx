import { useVirtualizer } from '@tanstack/react-virtual'
import { memo, useRef } from 'react'
import { InTurn } from '../../shared/ui/in-turn.tsx'
import type { Session } from './changes.ts'
import { type ColumnName, columnNames, columns, nextSorting, type Sorting } from './columns.ts'
import { SessionActions } from './session-actions.tsx'
import { Figure, type Teams } from './session-figures.tsx'
import { texts } from './texts.ts'
import type { Verb } from './verbs.ts'

export interface SessionsProps {
  readonly sessions: readonly Session[]
  readonly teams: Teams
  readonly onVerb: (verb: Verb, session: Session) => void
}

interface SessionsTableProps extends SessionsProps {
  readonly sorting: Sorting
  readonly onSort: (sorting: Sorting) => void
}

const rowHeight = 41

/** Only the rows in sight are in the page, however many there are. */
export function SessionsTable({ sessions, teams, onVerb, sorting, onSort }: SessionsTableProps) {
  const frame = useRef<HTMLDivElement>(null)
  const rows = useVirtualizer({
    count: sessions.length,
    getScrollElement: () => frame.current,
    estimateSize: () => rowHeight,
    getItemKey: (index) => sessions[index]!.sessionId,
    overscan: 6,
  })
  const shown = rows.getVirtualItems()
  const [before, after] = [shown[0]?.start ?? 0, rows.getTotalSize() - (shown.at(-1)?.end ?? 0)]
  return (
    <section
      ref={frame}
      aria-label={texts.conversationsList}
      // Without a mouse, a person scrolls it with the arrow keys.
      // biome-ignore lint/a11y/noNoninteractiveTabindex: see above
      tabIndex={0}
      className="border-line bg-panel relative max-h-[36rem] min-h-80 overflow-auto rounded-lg border lg:flex-1"
    >
      <table aria-rowcount={sessions.length + 1} className="w-full border-separate border-spacing-0 text-left">
        <thead className="bg-panel sticky top-0 z-10">
          <tr aria-rowindex={1}>
            {columnNames.map((name) => (
              <Heading key={name} name={name} sorting={sorting} onSort={onSort} />
            ))}
            <th scope="col" className="border-line bg-panel sticky right-0 border-b p-2">
              <span className="sr-only">{texts.actions}</span>
            </th>
          </tr>
        </thead>
        <tbody>
          <Gap height={before} />
          {shown.map(({ index, key }) => (
            <InTurn key={key} isFirst={index === 0} meanwhile={<Gap height={rowHeight} />}>
              <Row place={index} session={sessions[index]!} teams={teams} onVerb={onVerb} />
            </InTurn>
          ))}
          <Gap height={after} />
        </tbody>
      </table>
    </section>
  )
}

function Heading({ name, sorting, onSort }: Pick<SessionsTableProps, 'sorting' | 'onSort'> & { name: ColumnName }) {
  const isBy = sorting.by === name
  const order = !isBy ? undefined : sorting.isFalling ? 'descending' : 'ascending'
  return (
    <th scope="col" aria-sort={order ?? 'none'} className="border-line border-b p-0">
      <button
        type="button"
        className={`${isNumber(name) ? 'text-right' : 'text-left'} ${name === 'pair' ? 'pl-3' : ''} hover:bg-raised text-muted w-full px-1.5 py-2 font-medium xl:px-2.5 whitespace-nowrap -outline-offset-2`}
        onClick={() => onSort(nextSorting(name, sorting))}
      >
        {texts.columns[name]}
        <span aria-hidden="true">{!isBy ? '' : sorting.isFalling ? ' ↓' : ' ↑'}</span>
      </button>
    </th>
  )
}

interface RowProps extends Omit<SessionsProps, 'sessions'> {
  readonly session: Session
  readonly place: number
}

const Row = memo(function Row({ session, place, teams, onVerb }: RowProps) {
  return (
    <tr aria-rowindex={place + 2} data-session={session.sessionId} className="group hover:bg-raised h-[41px]">
      {columnNames.map((name) => (
        <td
          key={name}
          className={`border-line border-b px-1.5 whitespace-nowrap xl:px-2.5 ${isNumber(name) ? 'text-right tabular-nums' : ''} ${name === 'pair' ? 'max-w-72 pl-3' : ''}`}
        >
          <Figure name={name} session={session} teams={teams} />
        </td>
      ))}
      {/* Always in sight, however wide the table is, because it opens all actions. */}
      <td className="border-line bg-panel group-hover:bg-raised sticky right-0 border-b pr-2 text-right">
        <SessionActions session={session} teams={teams} onVerb={onVerb} />
      </td>
    </tr>
  )
})

function isNumber(name: ColumnName): boolean {
  return 'isNumber' in columns[name]
}

function Gap({ height }: { readonly height: number }) {
  if (height <= 0) return null
  return (
    <tr aria-hidden="true">
      <td colSpan={columnNames.length + 1} style={{ height }} />
    </tr>
  )
}
