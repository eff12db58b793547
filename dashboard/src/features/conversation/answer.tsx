import { Link } from '@tanstack/react-router'
import { useLiveText } from '../../shared/stream/live-provider.tsx'
import { Badge, type Tone } from '../../shared/ui/badge.tsx'
import { CopyButton } from '../../shared/ui/copy-button.tsx'
import { TeamName } from '../../shared/ui/team-name.tsx'
import { AgentText } from './agent-text.tsx'
import { BackgroundCommands } from './background-commands.tsx'
import { Subagents } from './subagents.tsx'
import { Thought } from './thought.tsx'
import type { ListedTurn } from './use-session-turns.ts'
import { Value } from './value.tsx'
import { WholeText } from './whole-text.tsx'

const states: Record<ListedTurn['status'], readonly [string, Tone]> = {
  queued: ['queued', 'plain'],
  working: ['working', 'busy'],
  completed: ['answered', 'good'],
  failed: ['failed', 'bad'],
  cancelled: ['cancelled', 'warn'],
  timed_out: ['timed out', 'bad'],
  in_doubt: ['in doubt', 'warn'],
}

/** What came of a message: while it comes as it is, then as its markdown says. */
export function Answer({ turn, to }: { readonly turn: ListedTurn; readonly to: string }) {
  const { turnId, status, reason, detail } = turn
  const live = useLiveText(turnId)
  const isRunning = status === 'working' || status === 'queued'
  // The stream is ahead of the list, and the list of a stream that was just opened.
  const text = isRunning ? longer(live, turn.text) : turn.text
  const [said, tone] = isRunning && text !== undefined ? states.working : states[status]
  return (
    <div className="mt-3">
      <div className="flex flex-wrap items-center gap-2">
        <span className="font-medium">
          <TeamName name={to} />
        </span>
        <span className="flex-1">
          <Badge tone={tone}>{said}</Badge>
        </span>
        <Link to="/traces/$turnId" params={{ turnId }} className="text-accent text-xs underline">
          Trace
        </Link>
        {text !== undefined && <CopyButton text={text} label="Copy the answer" />}
      </div>
      {(detail ?? reason) !== undefined && <p className="text-bad mt-1 wrap-anywhere">{detail ?? reason}</p>}
      {turn.value !== undefined && <Value json={turn.value} />}
      {text !== undefined && status === 'completed' && !turn.isTextCut && <AgentText text={text} />}
      {text !== undefined && status === 'completed' && turn.isTextCut && (
        <WholeText turnId={turnId} which="answer" text={text} isCut className="mt-1" />
      )}
      {isRunning && <Thought turnId={turnId} />}
      {status === 'working' && <Subagents turnId={turnId} />}
      {text !== undefined && status !== 'completed' && (
        <p className="mt-1 wrap-anywhere whitespace-pre-wrap" aria-live="off">
          {text}
        </p>
      )}
      {turn.background !== undefined && <BackgroundCommands commands={turn.background} />}
    </div>
  )
}

function longer(one: string | undefined, other: string | undefined): string | undefined {
  return (one?.length ?? 0) >= (other?.length ?? 0) ? (one ?? other) : other
}
