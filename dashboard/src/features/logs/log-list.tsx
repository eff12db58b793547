import { useVirtualizer } from '@tanstack/react-virtual'
import { useEffect, useRef } from 'react'
import { visible } from '../../../../src/base/lib/visible.ts'
import { fieldsText } from '../../../../src/base/protocol/log-entry.ts'
import { fineTime } from '../../shared/format/times.ts'
import { scrollToEdge } from '../../shared/ui/scroll-to-edge.ts'
import type { LogLine } from './log-lines.ts'
import { texts } from './texts.ts'

const usualHeight = 22
/** A reader who is this close to the end follows new lines. */
const nearPx = 40

/** Lines of the log, of which only those in sight are in the page. A reader at the end stays there. */
export function LogList({ lines }: { readonly lines: readonly LogLine[] }) {
  const box = useRef<HTMLDivElement>(null)
  const isAtEnd = useRef(true)
  const rows = useVirtualizer({
    count: lines.length,
    getScrollElement: () => box.current,
    estimateSize: () => usualHeight,
    getItemKey: (index) => `${lines[index]!.timestamp}-${lines[index]!.number}`,
    overscan: 20,
  })
  useEffect(() => {
    if (isAtEnd.current && lines.length > 0) rows.scrollToIndex(lines.length - 1, { align: 'end' })
  }, [lines, rows])
  const onScroll = (): void => {
    const { scrollTop, scrollHeight, clientHeight } = box.current!
    isAtEnd.current = scrollHeight - scrollTop - clientHeight < nearPx
  }
  return (
    <div
      ref={box}
      onScroll={onScroll}
      onKeyDown={(event) => {
        if (event.key !== 'Home' || event.target !== event.currentTarget) return
        event.preventDefault()
        isAtEnd.current = false
        scrollToEdge(event.currentTarget, 'beginning')
      }}
      role="log"
      aria-live="off"
      aria-label={texts.log}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keyboard
      tabIndex={0}
      className="border-line bg-panel min-h-64 flex-1 basis-0 overflow-auto rounded-lg border font-mono text-xs"
    >
      <div className="relative w-full" style={{ height: rows.getTotalSize() }}>
        {rows.getVirtualItems().map(({ key, index, start }) => (
          <div
            key={key}
            data-index={index}
            ref={rows.measureElement}
            className="absolute top-0 left-0 w-full px-2 py-0.5"
            style={{ transform: `translateY(${start}px)` }}
          >
            <Row line={lines[index]!} />
          </div>
        ))}
      </div>
    </div>
  )
}

const tones = { debug: 'text-muted', info: 'text-busy', warn: 'text-warn', error: 'text-bad' } as const

function Row({ line: { timestamp, level, context, message, ids } }: { readonly line: LogLine }) {
  const fields = fieldsText(ids)
  return (
    <p className="flex flex-wrap items-baseline gap-x-2 sm:flex-nowrap">
      <time dateTime={new Date(timestamp).toISOString()} className="text-muted shrink-0 tabular-nums">
        {fineTime(timestamp)}
      </time>
      <span className={`${tones[level]} w-10 shrink-0 font-semibold`}>{level}</span>
      <span className="text-muted shrink-0 sm:w-32 sm:truncate" title={visible(context)}>
        {visible(context)}
      </span>
      <span className="min-w-0 wrap-anywhere whitespace-pre-wrap">
        {visible(message)}{' '}
        {fields !== '' && (
          <span className="text-muted" title={visible(JSON.stringify(ids, null, 1))}>
            {visible(fields)}
          </span>
        )}
      </span>
    </p>
  )
}
