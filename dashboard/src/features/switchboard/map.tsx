import { memo, useMemo, useRef, useState } from 'react'
import { InTurn } from '../../shared/ui/in-turn.tsx'
import { useNow } from '../../shared/ui/time-since.tsx'
import type { Board } from './changes.ts'
import { clarity, type Edge, edgesOf } from './edges.ts'
import { folded } from './fold.ts'
import { layoutOf, type Place } from './layout.ts'
import { MapEdge } from './map-edge.tsx'
import { MapNode } from './map-node.tsx'
import { participantsOf } from './participants.ts'
import { texts } from './texts.ts'
import { useWidth } from './use-size.ts'

interface MapProps {
  readonly board: Board
  readonly selected: string | undefined
  readonly onSelect: (name: string) => void
}

const minuteMs = 60_000

/** A map of the teams, and of who talks to whom, now and lately. The table below the map says the same in words. */
export function SwitchboardMap(props: MapProps) {
  // The edges of recent messages fade with every minute.
  return <MapAt {...props} now={Math.floor(useNow() / minuteMs) * minuteMs} />
}

const MapAt = memo(function MapAt({ board, selected, onSelect, now }: MapProps & { readonly now: number }) {
  const frame = useRef<HTMLDivElement>(null)
  const width = useWidth(frame)
  const [pointed, setPointed] = useState<string>()
  const { participants, edges, hidden } = useMemo(() => {
    const all = edgesOf(board, now)
    return folded(participantsOf(board, all), all, selected)
  }, [board, now, selected])
  const layout = layoutOf(
    participants.map(({ name }) => name),
    Math.max(width, 300),
    Math.floor(window.innerHeight / 3),
  )
  const places = new Map(layout.places.map((place) => [place.name, place]))
  const lit = pointed ?? selected
  const isLit = ({ from, to }: Edge): boolean => lit === undefined || from === lit || to === lit
  // Edges at work, and edges of the team that is pointed at, are drawn over the others.
  const drawn = edges.toSorted((a, b) => Number(a.isNow) - Number(b.isNow) || Number(isLit(a)) - Number(isLit(b)))
  const steps = useSteps(participants.map(({ name }) => name))
  return (
    <div ref={frame} className="border-line bg-panel rounded-lg border">
      {width > 0 && (
        <svg
          role="group"
          aria-label={texts.mapWhoAsksWhom}
          width={layout.width}
          height={layout.height}
          className="block max-w-full select-none"
        >
          <g aria-hidden="true">
            {drawn.map((edge) => (
              <MapEdge
                key={`${edge.from}\0${edge.to}`}
                edge={edge}
                from={places.get(edge.from)!}
                to={places.get(edge.to)!}
                layout={layout}
                opacity={isLit(edge) ? clarity(edge, now) : 0.06}
              />
            ))}
          </g>
          {participants.map((participant, index) => (
            <InTurn key={participant.name}>
              <MapNode
                participant={participant}
                place={places.get(participant.name) as Place}
                edges={edges}
                width={layout.width}
                isFaded={lit !== undefined && lit !== participant.name && !touches(edges, lit, participant.name)}
                isSelected={selected === participant.name}
                isStop={steps.current === participant.name}
                onSelect={() => participant.kind !== 'rest' && onSelect(participant.name)}
                onPoint={(isPointed) => {
                  setPointed(isPointed ? participant.name : undefined)
                  if (isPointed) steps.stopAt(participant.name)
                }}
                onStep={(key) => steps.take(key, index)}
              />
            </InTurn>
          ))}
        </svg>
      )}
      <p className="text-muted border-line border-t px-3 py-1.5 text-xs">
        {texts.filledAwakeDashedAt}
        {hidden.length > 0 && texts.theQuieterTeamsAre(hidden.length)}
      </p>
    </div>
  )
})

function touches(edges: readonly Edge[], a: string, b: string): boolean {
  return edges.some(({ from, to }) => (from === a && to === b) || (from === b && to === a))
}

/** The Tab key stops at one team, and the arrow keys move on from there, so nobody has to press Tab sixty times. */
function useSteps(names: readonly string[]) {
  const [stop, setStop] = useState<string>()
  const current = stop !== undefined && names.includes(stop) ? stop : names[0]
  const take = (key: string, index: number): string | undefined => {
    const moves: Readonly<Record<string, number>> = {
      ArrowDown: index + 1,
      ArrowRight: index + 1,
      ArrowUp: index - 1,
      ArrowLeft: index - 1,
      Home: 0,
      End: names.length - 1,
    }
    const next = moves[key]
    return next === undefined ? undefined : names[(next + names.length) % names.length]
  }
  return { current, stopAt: setStop, take }
}
