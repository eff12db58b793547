import { useVirtualizer } from '@tanstack/react-virtual'
import { type KeyboardEvent, type RefObject, useEffect, useRef, useState } from 'react'
import { useOperation } from '../../shared/api/use-operation.ts'
import { Button } from '../../shared/ui/button.tsx'
import { Icon } from '../../shared/ui/icon.tsx'
import { scrollToEdge } from '../../shared/ui/scroll-to-edge.ts'
import { Empty } from '../../shared/ui/states.tsx'
import { EndMarker, Marker } from './marker.tsx'
import { texts } from './texts.ts'
import { TurnItem } from './turn-item.tsx'
import { type Conversation, useTurnsBetween } from './use-session-turns.ts'

/** The estimated height, in pixels, of a turn that is not loaded yet. */
const usualHeight = 220
const endThreshold = 80

interface TurnListProps {
  readonly conversation: Conversation
  /** The turn to begin at; default: the newest. */
  readonly goTo: string | undefined
  /** The search words to mark in that turn. */
  readonly words: string | undefined
}

/**
 * All turns, of which only those in sight are in the page. New turns scroll into sight only for a reader at the end.
 */
export function TurnList({ conversation, goTo, words }: TurnListProps) {
  const { sessionId, total, compactions } = conversation
  const scroll = useRef<HTMLDivElement>(null)
  const place = usePlaceOf(sessionId, goTo)
  const virtualizer = useVirtualizer({
    count: total,
    getScrollElement: () => scroll.current,
    estimateSize: () => usualHeight,
    overscan: 4,
    anchorTo: 'end',
    followOnAppend: true,
    scrollEndThreshold: endThreshold,
  })
  const items = virtualizer.getVirtualItems()
  const turns = useTurnsBetween(sessionId, items[0]?.index ?? 0, items.at(-1)?.index ?? -1)
  const isThere = typeof place === 'number' && turns.has(place)
  const arrived = useRef<'nowhere' | 'near' | 'there'>('nowhere')
  useEffect(() => {
    if (arrived.current === 'there' || total === 0 || place === 'unknown') return
    if (place === undefined) virtualizer.scrollToEnd()
    // Scrolls once more when the turn and those beside it have loaded, because their heights differ from the estimate.
    else if (arrived.current === 'nowhere' || isThere) virtualizer.scrollToIndex(place, { align: 'center' })
    arrived.current = place === undefined || isThere ? 'there' : 'near'
  }, [virtualizer, total, place, isThere])
  const isAtEnd = useIsAtEnd(scroll)
  const toEdge = (edge: 'beginning' | 'end'): void => {
    // After a link to a turn, the list must not scroll back to that turn.
    arrived.current = 'there'
    if (scroll.current) scrollToEdge(scroll.current, edge)
  }
  // The browser's own smooth scrolling would stop at each turn whose height differs from the estimate.
  const jump = (event: KeyboardEvent): void => {
    if (event.target !== event.currentTarget || (event.key !== 'Home' && event.key !== 'End')) return
    event.preventDefault()
    toEdge(event.key === 'End' ? 'end' : 'beginning')
  }
  if (total === 0) return <Empty title={texts.nothingHasBeenSaid} />
  return (
    <div className="relative min-h-0 flex-1">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it is scrolled by keyboard. */}
      <div
        ref={scroll}
        role="feed"
        aria-label={texts.turns}
        tabIndex={0}
        onKeyDown={jump}
        className="-mx-0.5 h-full overflow-y-auto overscroll-contain [overflow-anchor:none]"
      >
        <div className="relative w-full" style={{ height: virtualizer.getTotalSize() }}>
          {items.map(({ index, start, key }) => (
            <div
              key={key}
              data-index={index}
              ref={virtualizer.measureElement}
              className="absolute top-0 left-0 w-full px-0.5 pb-3"
              style={{ transform: `translateY(${start}px)` }}
            >
              <Marker turn={turns.get(index)} before={turns.get(index - 1)} compactions={compactions} />
              <TurnItem
                turn={turns.get(index)}
                conversation={conversation}
                number={index + 1}
                words={turns.get(index)?.turnId === goTo ? words : undefined}
                isWanted={goTo !== undefined && turns.get(index)?.turnId === goTo}
              />
              {index === total - 1 && <EndMarker turn={turns.get(index)} compactions={compactions} />}
            </div>
          ))}
        </div>
      </div>
      {!isAtEnd && (
        <Button className="absolute right-4 bottom-3 shadow-lg" onClick={() => toEdge('end')}>
          <Icon name="down" className="size-4" />
          {texts.jumpToNewest}
        </Button>
      )}
    </div>
  )
}

/**
 * How many turns come before the wanted turn; `unknown` until Iris has answered, undefined if there is no such turn.
 */
function usePlaceOf(sessionId: string, turnId: string | undefined): number | 'unknown' | undefined {
  const { data, error } = useOperation(
    'session_turns',
    { sessionId, around: turnId, limit: 1 },
    { enabled: turnId !== undefined },
  )
  if (turnId === undefined || error) return undefined
  return data === undefined ? 'unknown' : data.offset
}

function useIsAtEnd(scroll: RefObject<HTMLElement | null>): boolean {
  const [isAtEnd, setAtEnd] = useState(true)
  useEffect(() => {
    const element = scroll.current
    if (!element) return
    const look = (): void => {
      const { scrollHeight, scrollTop, clientHeight } = element
      setAtEnd(scrollHeight - scrollTop - clientHeight < endThreshold)
    }
    element.addEventListener('scroll', look, { passive: true })
    const sizes = new ResizeObserver(look)
    sizes.observe(element)
    if (element.firstElementChild) sizes.observe(element.firstElementChild)
    return () => {
      element.removeEventListener('scroll', look)
      sizes.disconnect()
    }
  }, [scroll])
  return isAtEnd
}
