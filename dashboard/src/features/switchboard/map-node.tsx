import { type KeyboardEvent, useRef } from 'react'
import { useTeamTrouble } from '../../shared/ui/broken-teams.tsx'
import { useTeamColor } from '../../shared/ui/team-colors-provider.tsx'
import { useAskerNames } from '../../shared/ui/use-asker-names.ts'
import type { Edge } from './edges.ts'
import { labelOf, type Place } from './layout.ts'
import { type Participant, participantText, participantTitle } from './participants.ts'

interface MapNodeProps {
  readonly participant: Participant
  readonly place: Place
  readonly edges: readonly Edge[]
  readonly width: number
  readonly isFaded: boolean
  readonly isSelected: boolean
  /** Whether the Tab key stops at this node. */
  readonly isStop: boolean
  readonly onSelect: () => void
  readonly onPoint: (isPointed: boolean) => void
  /** Which team a key leads to from here. */
  readonly onStep: (key: string) => string | undefined
}

export function MapNode(props: MapNodeProps) {
  const { participant, place, edges, width, isFaded, isSelected, isStop, onSelect, onPoint, onStep } = props
  const node = useRef<SVGGElement>(null)
  const { name, kind, team, awake, working, queue } = participant
  const color = useTeamColor(name)
  const trouble = useTeamTrouble(name)
  const nameOf = useAskerNames([name, ...edges.map(({ from }) => from)])
  const title = participantTitle(participant, nameOf)
  const onKeyDown = (event: KeyboardEvent): void => {
    const next = onStep(event.key)
    if (event.key === 'Enter' || event.key === ' ') onSelect()
    else if (next !== undefined) neighbour(node.current, next)?.focus()
    else return
    event.preventDefault()
  }
  return (
    // biome-ignore lint/a11y/useSemanticElements: an SVG has no button
    <g
      ref={node}
      role="button"
      tabIndex={isStop ? 0 : -1}
      aria-label={[participantText(participant, edges, nameOf), trouble].filter(Boolean).join('. ')}
      aria-pressed={isSelected}
      data-participant={name}
      transform={`translate(${place.x.toFixed(1)} ${place.y.toFixed(1)})`}
      className={`${isFaded ? 'opacity-40' : ''} group cursor-pointer outline-none`}
      onClick={onSelect}
      onKeyDown={onKeyDown}
      onFocus={() => onPoint(true)}
      onBlur={() => onPoint(false)}
      onPointerEnter={() => onPoint(true)}
      onPointerLeave={() => onPoint(false)}
    >
      <title>{trouble ?? `${title}${team?.description === undefined ? '' : `: ${team.description}`}`}</title>
      {working > 0 && <circle r={10} fill="none" stroke={color} opacity={0.5} className="motion-safe:animate-pulse" />}
      <circle
        r={6}
        fill={awake > 0 || kind === 'external' || kind === 'chat' ? color : 'var(--panel)'}
        stroke={color}
        strokeWidth={2}
        className="group-focus-visible:stroke-accent group-focus-visible:[stroke-width:4]"
      />
      <text
        x={place.side === 'left' ? -14 : 14}
        y={4}
        textAnchor={place.side === 'left' ? 'end' : 'start'}
        className={`fill-ink text-xs group-focus-visible:underline ${isSelected ? 'font-bold' : ''}`}
      >
        {labelOf(title, width)}
        {trouble !== undefined && <tspan className="fill-warn font-semibold"> ⚠</tspan>}
        {queue > 0 && <tspan className="fill-warn font-semibold">{` +${queue}`}</tspan>}
      </text>
    </g>
  )
}

function neighbour(node: SVGGElement | null, name: string): SVGGElement | undefined {
  const nodes = node?.parentElement?.querySelectorAll<SVGGElement>('[data-participant]') ?? []
  return [...nodes].find((each) => each.dataset['participant'] === name)
}
