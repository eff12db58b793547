import { useState } from 'react'
import { duration } from '../../shared/format/durations.ts'
import { IconButton } from '../../shared/ui/button.tsx'
import type { Trace } from './grown.ts'
import { rowsOf } from './rows.ts'
import { marks, placeOf } from './scale.ts'
import { texts } from './texts.ts'
import { type Frame, TurnRow } from './turn-row.tsx'

const mostZoom = 64
/** As many marks as fit beside each other on a phone. */
const marksInSight = 5
/** A mark at the very end has no room for its time. */
const nearlyAll = 0.95

/** Turns as a tree, each with bars for what it did, on one time scale that begins with the first ask. */
export function Waterfall({ trace }: { readonly trace: Trace }) {
  const [zoom, setZoom] = useState(1)
  const frame = frameOf(trace)
  const length = frame.to - frame.from
  return (
    <section aria-label={texts.waterfall} className="flex flex-col gap-1">
      <div className="flex items-center justify-end gap-1">
        <span className="text-muted text-xs">{zoom === 1 ? texts.fit : texts.timesAsWide(zoom)}</span>
        <IconButton label={texts.zoomIn} disabled={zoom >= mostZoom} onClick={() => setZoom(zoom * 2)}>
          +
        </IconButton>
        <IconButton label={texts.zoomOut} disabled={zoom === 1} onClick={() => setZoom(zoom / 2)}>
          −
        </IconButton>
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
      <div
        role="region"
        aria-label={texts.turnsOverTime}
        tabIndex={0}
        className="border-line overflow-x-auto rounded-lg border"
      >
        <div className="min-w-full p-2" style={{ width: `${zoom * 100}%` }}>
          <div aria-hidden="true" className="border-line text-muted relative h-5 border-b text-xs">
            {marks(length * nearlyAll, marksInSight * zoom).map((ms) => (
              <span
                key={ms}
                className="border-line absolute inset-y-0 overflow-hidden border-l pl-1 whitespace-nowrap"
                style={{ left: placeOf(frame.from + ms, frame.from + ms, frame).left }}
              >
                {duration(ms)}
              </span>
            ))}
          </div>
          <ul>
            {rowsOf(trace.turns).map(({ turn, depth }) => (
              <TurnRow
                key={turn.turnId}
                turn={turn}
                depth={depth}
                frame={frame}
                isAsked={turn.turnId === trace.turnId}
              />
            ))}
          </ul>
        </div>
      </div>
    </section>
  )
}

function frameOf({ turns, timestamp }: Trace): Frame {
  return {
    from: Math.min(...turns.map(({ acceptedAt }) => acceptedAt)),
    to: Math.max(...turns.map(({ settledAt }) => settledAt ?? timestamp)),
  }
}
