import { clsx } from 'clsx'
import { useId, useState } from 'react'
import { plainLine } from '../../../../src/base/lib/plain-line.ts'
import type { TracedTurn } from '../../../../src/features/traces/contract.ts'
import { duration } from '../../shared/format/durations.ts'
import { PendingQuestions } from '../../shared/questions/pending-question.tsx'
import { TurnStatus } from '../../shared/turns/turn-status.tsx'
import { Icon } from '../../shared/ui/icon.tsx'
import { looks } from './kinds.tsx'
import { Pair } from './pair.tsx'
import { endOf, type PlacedTool, packed } from './rows.ts'
import { placeOf } from './scale.ts'
import { texts } from './texts.ts'
import { TurnDetails } from './turn-details.tsx'

/** The span of time that is shown, in milliseconds since the epoch. */
export interface Frame {
  readonly from: number
  readonly to: number
}

interface TurnRowProps {
  readonly turn: TracedTurn
  readonly depth: number
  readonly frame: Frame
  /** Whether this is the requested turn. */
  readonly isAsked: boolean
}

/** The most lines of tools; the details list all tools. */
const mostLines = 6

export function TurnRow({ turn, depth, frame, isAsked }: TurnRowProps) {
  const [isOpen, setOpen] = useState(false)
  const details = useId()
  const end = turn.spans.at(-1)?.to ?? turn.acceptedAt
  const tools = packed(turn.tools.map((tool) => ({ tool, from: tool.startedAt, to: endOf(tool, turn, end) })))
  return (
    <li className={clsx('border-line border-b py-1.5 last:border-b-0', isAsked && 'bg-raised')}>
      <div className="sticky left-0 w-[min(100%,calc(100vw-3rem))]" style={{ paddingLeft: `${Math.min(depth, 8)}ch` }}>
        <button
          type="button"
          aria-expanded={isOpen}
          aria-controls={details}
          onClick={() => setOpen(!isOpen)}
          className="hover:bg-raised flex max-w-full items-center gap-2 rounded px-1 py-0.5 text-left"
        >
          <Icon name={isOpen ? 'down' : 'right'} className="size-4 shrink-0" />
          <Pair {...turn} />
          <TurnStatus turn={turn} />
          <span className="tabular-nums whitespace-nowrap">{duration(end - turn.acceptedAt)}</span>
          <span dir="auto" className="text-muted truncate max-sm:hidden">
            {plainLine(turn.message)}
          </span>
        </button>
      </div>
      {turn.status === 'working' && (
        <div className="sticky left-0 w-[min(100%,calc(100vw-3rem))]">
          <PendingQuestions turnId={turn.turnId} />
        </div>
      )}
      <div aria-hidden="true" className="relative h-5">
        {turn.spans.map(({ kind, from, to }) => (
          <span
            key={from}
            data-kind={kind}
            title={`${texts.kinds[kind]}: ${duration(to - from)}`}
            className={clsx('absolute inset-y-0.5 min-w-px', looks[kind])}
            style={placeOf(from, to, frame)}
          />
        ))}
      </div>
      {tools.slice(0, mostLines).map((line) => (
        <ToolLine key={line[0]!.tool.toolUseId} line={line} frame={frame} />
      ))}
      {tools.length > mostLines && <p className="text-muted text-xs">{texts.moreToolsSideBy}</p>}
      <div id={details} hidden={!isOpen} className="sticky left-0 w-[min(100%,calc(100vw-3rem))]">
        {isOpen && <TurnDetails turn={turn} />}
      </div>
    </li>
  )
}

function ToolLine({ line, frame }: { readonly line: readonly PlacedTool[]; readonly frame: Frame }) {
  return (
    <div aria-hidden="true" className="relative h-5">
      {line.map(({ tool, from, to }) => (
        <span
          key={tool.toolUseId}
          data-tool={tool.name}
          title={[`${tool.name}: ${duration(to - from)}`, tool.input].filter(Boolean).join('\n')}
          className={clsx(
            'bg-panel absolute inset-y-px min-w-0.5 overflow-hidden rounded-xs border border-l-2 px-1 text-[0.65rem] leading-4 whitespace-nowrap',
            tool.isError ? 'border-bad' : tool.state === 'cut_off' ? 'border-bad border-dotted' : 'border-good/60',
          )}
          style={placeOf(from, to, frame)}
        >
          {tool.name}
        </span>
      ))}
    </div>
  )
}
