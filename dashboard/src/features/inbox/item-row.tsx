import { Link } from '@tanstack/react-router'
import { useLayoutEffect } from 'react'
import { plainLine } from '../../../../src/base/lib/plain-line.ts'
import { visible } from '../../../../src/base/lib/visible.ts'
import { external } from '../../../../src/base/protocol/pair.ts'
import { pairTitle } from '../../shared/format/asker.ts'
import { dayAndHour } from '../../shared/format/times.ts'
import { canBeDone } from '../../shared/inbox/marks.ts'
import { PendingQuestions } from '../../shared/questions/pending-question.tsx'
import { usePending } from '../../shared/questions/use-pending.ts'
import { RetryButton } from '../../shared/turns/retry-button.tsx'
import { StandingBadge } from '../../shared/turns/standing-badge.tsx'
import { whyStanding } from '../../shared/turns/why-standing.ts'
import { Button } from '../../shared/ui/button.tsx'
import { TeamName } from '../../shared/ui/team-name.tsx'
import { ThreadTag } from '../../shared/ui/thread-tag.tsx'
import { TimeSince } from '../../shared/ui/time-since.tsx'
import { AskAgain, canAskAgain } from './ask-again.tsx'
import { type Answering, QuickAnswer } from './quick-answer.tsx'
import type { Row } from './retrying.ts'
import { texts } from './texts.ts'

/** The actions of the list that a row can call. */
export interface RowActions {
  readonly onDone: (rows: readonly Row[]) => void
  readonly onLater: (rows: readonly Row[]) => void
  readonly onBack: (row: Row) => void
  readonly onPin: (row: Row, isPinned: boolean) => void
  readonly onSelect: (row: Row) => void
  readonly onRetried: (row: Row, turnId: string) => void
  readonly register: (sessionId: string, answering: Answering | undefined) => void
}

interface ItemRowProps extends RowActions {
  readonly row: Row
  readonly isCurrent: boolean
  readonly isSelected: boolean
  readonly isRetrying: boolean
  /** Must always be the same function. */
  readonly onDrawn: () => void
}

/** One conversation of the inbox: why it is here, and what can be done about it. */
export function ItemRow({ row, isCurrent, isSelected, isRetrying, onDrawn, ...actions }: ItemRowProps) {
  useLayoutEffect(onDrawn, [onDrawn])
  const { session, items, isPinned } = row
  const { sessionId, from, to, thread } = session
  const [top] = items
  const pair = pairTitle(session)
  const isNew = top?.state === 'new'
  return (
    <li
      // biome-ignore lint/a11y/noNoninteractiveTabindex: the focus says on which row a key acts
      tabIndex={isCurrent ? 0 : -1}
      aria-label={pair}
      data-row={sessionId}
      data-kind={top?.kind}
      data-state={top?.state}
      className="focus:border-accent flex scroll-my-4 flex-col gap-1.5 rounded-lg border border-transparent px-3 py-2"
    >
      <div className="flex flex-wrap items-center gap-x-2 gap-y-1">
        <input
          type="checkbox"
          aria-label={texts.select(pair)}
          checked={isSelected}
          onChange={() => actions.onSelect(row)}
          className="max-sm:hidden"
        />
        <Link
          to="/conversations/$sessionId"
          params={{ sessionId }}
          {...(top?.turnId !== undefined && { search: { turn: top.turnId } })}
          className={`hover:bg-raised -mx-1 flex min-w-0 flex-wrap items-center gap-x-2 rounded-md px-1 ${isNew ? 'font-semibold' : ''}`}
        >
          <TeamName name={from} />
          <span aria-label={texts.asks}>→</span>
          <TeamName name={to} />
          <ThreadTag thread={thread} />
        </Link>
        {!withoutBadge.has(top?.kind) && <StandingBadge session={session} />}
        <span className="text-muted text-xs">
          {from === external ? texts.why.youAsked : texts.why.asked(from, to)}
          {isPinned && ` · ${texts.why.pinned}`}
          {top?.until !== undefined && ` · ${texts.putOffUntil(dayAndHour(top.until))}`}
        </span>
        <span className="text-muted ml-auto text-xs">
          <TimeSince at={top?.at ?? session.lastUsedAt} />
        </span>
      </div>
      {top !== undefined && <About row={row} item={top} isRetrying={isRetrying} {...actions} />}
      <RowButtons row={row} isRetrying={isRetrying} {...actions} />
    </li>
  )
}

/** Items that can be in the inbox although the conversation itself needs nobody. */
const withoutBadge: ReadonlySet<Row['items'][number]['kind'] | undefined> = new Set([
  'answer',
  'undelivered',
  'expired',
  'event',
])

type AboutProps = Pick<ItemRowProps, 'row' | 'isRetrying'> & RowActions & { readonly item: Row['items'][number] }

function About({ row, item, isRetrying, register, onRetried, onDone }: AboutProps) {
  const { session } = row
  const { sessionId } = session
  const { data } = usePending()
  if (isRetrying) return <p role="status">{texts.retrying}</p>
  if (item.kind === 'question') {
    const permission = data?.permissions.find(({ permissionId }) => permissionId === item.permissionId)
    return (
      <>
        <p dir="auto" className="truncate">
          {plainLine(session.lastTurn?.message ?? '')}
        </p>
        <PendingQuestions sessionId={sessionId} />
        {permission && <QuickAnswer permission={permission} register={(answering) => register(sessionId, answering)} />}
      </>
    )
  }
  if (item.kind === 'expired')
    return (
      <div className="flex flex-wrap items-center justify-between gap-2">
        <p className="text-warn min-w-0 wrap-anywhere">{texts.expiredTool(visible(item.toolName ?? ''))}</p>
        {item.state !== 'done' && canAskAgain(session) && (
          <AskAgain session={session} item={item} onSent={() => onDone([row])} />
        )}
      </div>
    )
  if (item.kind === 'failed' || item.kind === 'broken')
    return (
      <>
        <p dir="auto" className="truncate">
          {plainLine(item.message ?? '')}
        </p>
        <div className="flex flex-wrap items-center justify-between gap-2">
          <p className="text-bad min-w-0 flex-1 basis-60 wrap-anywhere">
            {item.tries !== undefined && `${texts.failedAgain(item.tries)}: `}
            {whyStanding(session)}
          </p>
          {item.turnId !== undefined && (
            <RetryButton turnId={item.turnId} about={pairTitle(session)} onSent={(turnId) => onRetried(row, turnId)} />
          )}
        </div>
      </>
    )
  if (item.kind === 'event') return <p className="text-warn">{texts.unusableEvent}</p>
  if (item.kind === 'openElsewhere') return <p className="text-warn">{whyStanding(session)}</p>
  if (item.kind === 'undelivered')
    return <p className="text-warn wrap-anywhere">{texts.undelivered(visible(item.text ?? ''))}</p>
  return (
    <>
      <p dir="auto" className="truncate">
        {plainLine(item.message ?? '')}
      </p>
      <p dir="auto" className="text-muted truncate">
        {plainLine(item.text ?? '')}
      </p>
    </>
  )
}

function RowButtons({
  row,
  isRetrying,
  onDone,
  onLater,
  onBack,
  onPin,
}: Omit<ItemRowProps, 'isCurrent' | 'isSelected' | 'onDrawn'>) {
  const [top] = row.items
  const pair = pairTitle(row.session)
  const isOpen = top !== undefined && top.state !== 'done' && !isRetrying
  return (
    <div className="flex flex-wrap items-center gap-1">
      {isOpen && canBeDone(row) && (
        <Button look="quiet" onClick={() => onDone([row])}>
          {texts.done}
          <span className="sr-only"> {pair}</span>
        </Button>
      )}
      {isOpen && top.state !== 'later' && (
        <Button look="quiet" onClick={() => onLater([row])}>
          {texts.later}
          <span className="sr-only"> {pair}</span>
        </Button>
      )}
      {(top?.state === 'done' || top?.state === 'later') && (
        <Button look="quiet" onClick={() => onBack(row)}>
          {texts.backToInbox}
          <span className="sr-only"> {pair}</span>
        </Button>
      )}
      <Button look="quiet" onClick={() => onPin(row, !row.isPinned)}>
        {row.isPinned ? texts.unpin : texts.pin}
        <span className="sr-only"> {pair}</span>
      </Button>
    </div>
  )
}
