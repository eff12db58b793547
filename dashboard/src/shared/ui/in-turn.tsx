import { type ReactNode, useEffect, useState } from 'react'
import { flushSync } from 'react-dom'

/** How long one frame draws parts, in milliseconds. Layout and painting take about as long again. */
const drawingMs = 12
/** The parts that are not drawn yet, in the order of the page. */
const waiting = new Set<() => void>()
let isWaiting = false

interface InTurnProps {
  /** Whether it is drawn at once, with what is around it, because a person sees it first. */
  readonly isFirst?: boolean
  /** Shown until the part is drawn, if nothing below may move. */
  readonly meanwhile?: ReactNode
  readonly children: ReactNode
}

/**
 * A part of the page that is drawn in one of the next frames, after the parts above it: a list that is drawn as a whole
 * would keep keys waiting on a slow processor.
 */
export function InTurn({ isFirst = false, meanwhile = null, children }: InTurnProps) {
  const [isDue, setDue] = useState(isFirst)
  useEffect(() => (isDue ? undefined : join(() => setDue(true))), [isDue])
  return isDue ? children : meanwhile
}

function join(draw: () => void): () => void {
  waiting.add(draw)
  if (!isWaiting) {
    isWaiting = true
    afterFrame(drawSome)
  }
  return () => void waiting.delete(draw)
}

function drawSome(): void {
  const end = performance.now() + drawingMs
  for (const draw of waiting) {
    waiting.delete(draw)
    flushSync(draw)
    if (performance.now() >= end) break
  }
  isWaiting = waiting.size > 0
  if (isWaiting) afterFrame(drawSome)
}

/** A tab in the background has no frames. */
function afterFrame(work: () => void): void {
  if (document.hidden) setTimeout(work)
  else requestAnimationFrame(() => setTimeout(work))
}
