import { clsx } from 'clsx'
import { useEffect, useRef, useState } from 'react'
import { asksText } from '../../shared/format/asker.ts'
import { duration } from '../../shared/format/durations.ts'
import { cost } from '../../shared/format/figures.ts'
import { TurnWork } from '../../shared/turn-work/turn-work.tsx'
import { TurnFiles } from '../../shared/turns/turn-files.tsx'
import { Button } from '../../shared/ui/button.tsx'
import { CopyButton } from '../../shared/ui/copy-button.tsx'
import { TeamName } from '../../shared/ui/team-name.tsx'
import { TimeSince } from '../../shared/ui/time-since.tsx'
import { Answer } from './answer.tsx'
import { CancelButton } from './cancel-button.tsx'
import { ChangedSince } from './changed-since.tsx'
import { markWords } from './mark-words.ts'
import { Receipts } from './receipts.tsx'
import { Reports } from './reports.tsx'
import { texts } from './texts.ts'
import { UsageNote } from './usage-note.tsx'
import type { Conversation, ListedTurn } from './use-session-turns.ts'
import { WholeText } from './whole-text.tsx'

interface TurnItemProps {
  /** Undefined while the turn is loading. */
  readonly turn: ListedTurn | undefined
  readonly conversation: Conversation
  readonly number: number
  readonly words: string | undefined
  /** Whether the reader came here for this turn. */
  readonly isWanted: boolean
}

/** One message and its answer. */
export function TurnItem({ turn, conversation, number, words, isWanted }: TurnItemProps) {
  const article = useRef<HTMLElement>(null)
  const [isOpen, setOpen] = useState(false)
  const { from, to, total } = conversation
  useEffect(() => {
    return words === undefined || !article.current ? undefined : markWords(article.current, words)
  })
  const frame = {
    ref: article,
    'aria-posinset': number,
    'aria-setsize': total,
    className: clsx('border-line bg-panel rounded-lg border p-3', isWanted && 'border-accent ring-accent/40 ring-2'),
  }
  if (turn === undefined)
    return <article {...frame} aria-busy="true" aria-label={texts.turn(number)} className={`${frame.className} h-48`} />
  const { turnId, status, message, isMessageCut, acceptedAt } = turn
  const isOngoing = status === 'working' || status === 'queued'
  return (
    <article {...frame} aria-label={texts.turnAsks(number, asksText(from, to))}>
      <div className="flex flex-wrap items-center gap-2">
        <span className="font-medium">
          <TeamName name={from} />
        </span>
        <span className="text-muted flex-1 text-xs">
          <TimeSince at={acceptedAt} /> · #{number}
        </span>
        <CopyButton text={message} label={texts.copyTheMessage} />
        {status === 'queued' && <CancelButton turnId={turnId} />}
      </div>
      <WholeText
        turnId={turnId}
        which="message"
        text={message}
        isCut={isMessageCut}
        className="bg-raised mt-1 rounded-md px-3 py-2"
      />
      <TurnFiles turnId={turnId} files={turn.attachments} />
      <Answer turn={turn} conversation={conversation} below={<Below turn={turn} isOpen={isOpen} onOpen={setOpen} />}>
        {/* Below an answer that is being written it would move with each line. */}
        {isOngoing && <StepsButton isOpen={isOpen} onOpen={setOpen} />}
      </Answer>
      <Reports turn={turn} />
      <ChangedSince turn={turn} />
      {isOpen && <TurnWork turnId={turnId} isOngoing={isOngoing} />}
    </article>
  )
}

interface StepsProps {
  /** Whether the steps are shown. */
  readonly isOpen: boolean
  readonly onOpen: (isOpen: boolean) => void
}

function StepsButton({ isOpen, onOpen }: StepsProps) {
  return (
    <Button look="quiet" className="text-xs" aria-expanded={isOpen} onClick={() => onOpen(!isOpen)}>
      {isOpen ? texts.hideSteps : texts.showSteps}
    </Button>
  )
}

interface BelowProps extends StepsProps {
  readonly turn: ListedTurn
}

/** One line under an answer: how long it took and what it cost; the rest on request. */
function Below({ turn, isOpen, onOpen }: BelowProps) {
  const [isDetailed, setDetailed] = useState(false)
  const { acceptedAt, settledAt, personMs = 0, usage } = turn
  const figures = [
    ...(settledAt === undefined ? [] : [duration(Math.max(0, settledAt - acceptedAt - personMs))]),
    ...(usage?.costUsd ? [cost(usage.costUsd)] : []),
  ]
  return (
    <div className="mt-2 text-xs">
      <div className="flex flex-wrap items-center gap-x-1">
        {figures.length > 0 && <span className="text-muted mr-1 tabular-nums">{figures.join(' · ')}</span>}
        <Button look="quiet" className="text-xs" aria-expanded={isDetailed} onClick={() => setDetailed(!isDetailed)}>
          {texts.details}
        </Button>
        <StepsButton isOpen={isOpen} onOpen={onOpen} />
      </div>
      {isDetailed && (
        <div className="flex flex-wrap items-center gap-x-4 gap-y-1 py-1">
          <Receipts turn={turn} />
          <UsageNote usage={usage} />
        </div>
      )}
    </div>
  )
}
