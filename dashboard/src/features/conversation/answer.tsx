import { Link } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import { Failure, isFailedStatus } from '../../shared/failure/failure.tsx'
import { PendingQuestions } from '../../shared/questions/pending-question.tsx'
import { useQuestionOf } from '../../shared/questions/use-pending.ts'
import { useSaidText } from '../../shared/stream/live-provider.tsx'
import { AgentText } from '../../shared/text/agent-text.tsx'
import { RetryButton } from '../../shared/turns/retry-button.tsx'
import { TurnStatus } from '../../shared/turns/turn-status.tsx'
import { whyWaits } from '../../shared/turns/why-standing.ts'
import { CopyButton } from '../../shared/ui/copy-button.tsx'
import { TeamName } from '../../shared/ui/team-name.tsx'
import { BackgroundCommands } from './background-commands.tsx'
import { Subagents } from './subagents.tsx'
import { texts } from './texts.ts'
import { Thought } from './thought.tsx'
import type { Conversation, ListedTurn } from './use-session-turns.ts'
import { Value } from './value.tsx'
import { WholeText } from './whole-text.tsx'

interface AnswerProps {
  readonly turn: ListedTurn
  readonly conversation: Pick<Conversation, 'to' | 'sessionId'>
  /** Shown beside the state of the answer. */
  readonly children?: ReactNode
  /** Shown under the answer once the answer is complete; below growing text, it would keep moving. */
  readonly below: ReactNode
}

/** The answer to a message, rendered as Markdown even while it is being written. */
export function Answer({ turn, conversation: { to, sessionId }, children, below }: AnswerProps) {
  const { turnId, status, reason, detail } = turn
  const said = useSaidText(turnId)
  const isRunning = status === 'working' || status === 'queued'
  // The stream is usually ahead of the list, but the list is ahead of a stream that was just opened.
  const text = isRunning ? longer(said, turn.text) : turn.text
  const [isLoaded, setLoaded] = useState(false)
  const seen = said !== undefined && said.length > (turn.text?.length ?? 0) ? said : undefined
  const isLoading = turn.isTextCut && seen !== undefined && !isLoaded
  const question = useQuestionOf(turnId)
  const standing = {
    status: isRunning && text !== undefined ? ('working' as const) : status,
    ...(isRunning && question && { waitsForPermission: question.toolName }),
  }
  return (
    <div className="mt-3">
      <div className="flex flex-wrap items-center gap-2">
        <span className="font-medium">
          <TeamName name={to} />
        </span>
        <span className="flex-1">
          <TurnStatus turn={standing} />
        </span>
        {children}
        <Link to="/traces/$turnId" params={{ turnId }} className="text-accent text-xs underline">
          {texts.trace}
        </Link>
        {/* The button's place is reserved, so that nothing beside it moves when it appears. */}
        <span className={text === undefined ? 'invisible' : undefined}>
          <CopyButton text={text ?? ''} label={texts.copyTheAnswer} />
        </span>
      </div>
      {status === 'completed' && (detail ?? reason) !== undefined && (
        <p className="text-muted mt-1 wrap-anywhere">{detail ?? reason}</p>
      )}
      {turn.value !== undefined && <Value json={turn.value} />}
      {text !== undefined && !isRunning && (
        <EndedText turn={turn} text={text} seen={seen} onLoaded={() => setLoaded(true)} />
      )}
      {isRunning && turn.waitsFor && question === undefined && (
        <p role="status" className="text-warn mt-1 wrap-anywhere">
          {whyWaits(turn.waitsFor)}
        </p>
      )}
      {isRunning && <PendingQuestions turnId={turnId} />}
      {isRunning && <Thought turnId={turnId} />}
      {status === 'working' && <Subagents turnId={turnId} />}
      {text !== undefined && isRunning && <AgentText text={text} isLive />}
      {isFailedStatus(status) && (
        <Failure status={status} reason={reason} detail={detail}>
          {turn.retriedBy === undefined && <RetryButton turnId={turnId} />}
        </Failure>
      )}
      <Retried turn={turn} sessionId={sessionId} />
      {turn.stuck !== undefined && <p className="text-bad mt-1 wrap-anywhere">{texts.makesNoProgress(turn.stuck)}</p>}
      {turn.otherModel !== undefined && <OtherModel other={turn.otherModel} />}
      {turn.background !== undefined && <BackgroundCommands commands={turn.background} />}
      {!isRunning && !isLoading && below}
    </div>
  )
}

function OtherModel({ other: { model, configured, why } }: { readonly other: NonNullable<ListedTurn['otherModel']> }) {
  return (
    <p className="text-muted mt-2 text-xs wrap-anywhere">
      {texts.answeredByInsteadOf(model, configured)} {why}
    </p>
  )
}

interface EndedTextProps {
  readonly turn: ListedTurn
  readonly text: string
  /** The text that was shown while the answer was being written. */
  readonly seen: string | undefined
  readonly onLoaded: () => void
}

function EndedText({ turn: { turnId, isTextCut }, text, ...rest }: EndedTextProps) {
  if (!isTextCut) return <AgentText text={text} />
  return <WholeText turnId={turnId} which="answer" text={text} {...rest} isCut className="mt-1" />
}

/** Links to the turn that retried this one, and to the turn that this one retries. */
function Retried({ turn, sessionId }: { readonly turn: ListedTurn; readonly sessionId: string }) {
  const { retryOf, retriedBy } = turn
  const link = (turn: string, text: string) => (
    <Link
      to="/conversations/$sessionId"
      params={{ sessionId }}
      search={{ turn }}
      className="text-accent text-xs underline"
    >
      {text}
    </Link>
  )
  return (
    <div className="mt-1 flex flex-wrap items-center gap-3 empty:hidden">
      {retriedBy !== undefined && link(retriedBy, texts.itWasRetried)}
      {retryOf !== undefined && link(retryOf, texts.itIsARetry)}
    </div>
  )
}

function longer(one: string | undefined, other: string | undefined): string | undefined {
  return (one?.length ?? 0) >= (other?.length ?? 0) ? (one ?? other) : other
}
