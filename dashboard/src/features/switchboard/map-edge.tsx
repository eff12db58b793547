import { memo } from 'react'
import type { Tone } from '../../shared/ui/badge.tsx'
import { tones } from '../../shared/ui/tones.ts'
import type { Edge } from './edges.ts'
import { curveOf, type MapLayout, type Place } from './layout.ts'

interface MapEdgeProps {
  readonly edge: Edge
  readonly from: Place
  readonly to: Place
  readonly layout: MapLayout
  readonly opacity: number
}

const strokes: Readonly<Record<Tone, string>> = {
  plain: 'var(--muted)',
  good: 'var(--muted)',
  busy: 'var(--busy)',
  warn: 'var(--warn)',
  bad: 'var(--bad)',
}

/** The more messages within the last hour, the broader the line. The line moves while a message is being worked on. */
export const MapEdge = memo(function MapEdge({ edge, from, to, layout, opacity }: MapEdgeProps) {
  const { path, head, middle } = curveOf(from, to, layout)
  const { isNow, queue, standing, lastHour } = edge
  const color = strokes[tones[standing]]
  return (
    <g opacity={opacity} data-edge={`${edge.from} ${edge.to}`} data-now={isNow}>
      <path
        d={path}
        fill="none"
        stroke={color}
        strokeWidth={isNow ? 2.2 : 1 + Math.min(1.5, Math.log10(1 + lastHour))}
        {...(isNow && { strokeDasharray: '7 5', className: 'motion-safe:animate-flow' })}
      />
      <path d={head} fill={color} />
      {queue > 0 && (
        <text
          x={middle.x}
          y={middle.y + 4}
          textAnchor="middle"
          stroke="var(--panel)"
          strokeWidth={4}
          paintOrder="stroke"
          className="fill-warn text-xs font-semibold"
        >
          +{queue}
        </text>
      )}
    </g>
  )
})
