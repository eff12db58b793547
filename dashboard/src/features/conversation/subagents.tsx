import { useOperation } from '../../shared/api/use-operation.ts'
import { exact } from '../../shared/format/figures.ts'
import { useStaleAfterLines } from '../../shared/stream/use-stale-after-lines.ts'
import { Badge } from '../../shared/ui/badge.tsx'
import { TimeSince } from '../../shared/ui/time-since.tsx'
import { texts } from './texts.ts'

/** What the subagents of a turn are doing right now. Shows nothing if the turn has none. */
export function Subagents({ turnId }: { readonly turnId: string }) {
  useStaleAfterLines(turnId, 'message_status', tellsOfSubagent)
  const { data } = useOperation('message_status', { turnId, timeout: -1 })
  const subagents = data?.subagents ?? []
  if (subagents.length === 0) return null
  return (
    <ul aria-label={texts.subagents} className="mt-1 flex flex-col gap-2 text-xs">
      {subagents.map(({ description, state, doing, tools, since }, index) => (
        // New subagents are added only at the end.
        <li key={index} className="flex flex-wrap items-baseline gap-x-2 gap-y-1">
          <Badge tone={state === 'working' ? 'busy' : 'plain'}>{texts.subagentStates[state]}</Badge>
          <span className="wrap-anywhere">{description}</span>
          {doing !== undefined && <span className="text-muted wrap-anywhere">{doing}</span>}
          <span className="text-muted">
            {texts.toolsUsedBegun(exact(tools))}
            <TimeSince at={since} />
          </span>
        </li>
      ))}
    </ul>
  )
}

/** Whether a line reports the beginning, a step or the end of a subagent. */
function tellsOfSubagent({ type, subtype }: Readonly<Record<string, unknown>>): boolean {
  return type === 'system' && typeof subtype === 'string' && subtype.startsWith('task_')
}
