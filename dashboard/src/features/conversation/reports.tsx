import { AgentText } from '../../shared/text/agent-text.tsx'
import { TimeSince } from '../../shared/ui/time-since.tsx'
import { texts } from './texts.ts'
import type { ListedTurn } from './use-session-turns.ts'

/** What the agent said by itself after the answer, for example when a background command ended. */
export function Reports({ turn: { reports } }: { readonly turn: ListedTurn }) {
  if (reports === undefined) return null
  return (
    <ul aria-label={texts.reportedAfterThisAnswer} className="border-line mt-2 border-l-2 pl-3">
      {reports.map(({ kind, text, at }) => (
        <li key={`${at} ${text}`} className="mt-1">
          <span className="text-muted text-xs">
            {kind === 'said' ? texts.reportedAfterThisAnswer : texts.endedWithItsProcess} <TimeSince at={at} />
          </span>
          {kind === 'said' ? <AgentText text={text} /> : <code className="block wrap-anywhere text-xs">{text}</code>}
        </li>
      ))}
    </ul>
  )
}
