import 'uplot/dist/uPlot.min.css'
import { useEffect, useRef, useState } from 'react'
import { InTurn } from '../../shared/ui/in-turn.tsx'
import { ChartTable } from './chart-table.tsx'
import { type ChartProps, height, type PlotOptions, plot } from './plot.ts'
import { texts } from './texts.ts'
import { useTheme } from './use-theme.ts'

/** A chart, what its colours mean, and the same figures as a table for people who cannot see it. */
export function Chart(props: ChartProps) {
  const { title, series, format } = props
  const [pointed, setPointed] = useState<number>()
  return (
    <section aria-label={texts.overTime(title)} className="border-line bg-panel min-w-0 rounded-lg border p-4">
      <h2 className="font-semibold">{title}</h2>
      <ul className="text-muted mt-1 flex flex-wrap gap-x-3 text-xs">
        {series.map(({ name, color, values }) => {
          const value = pointed === undefined ? undefined : values[pointed]
          return (
            <li key={name} className="flex items-center gap-1">
              <span className="size-2.5 rounded-xs" style={{ background: `var(--${color})` }} />
              {name}
              {typeof value === 'number' && <span className="text-ink tabular-nums">{format(value)}</span>}
            </li>
          )
        })}
      </ul>
      <InTurn meanwhile={<div className="mt-2" style={{ height }} />}>
        <Drawing {...props} onPoint={setPointed} />
      </InTurn>
      <ChartTable {...props} />
    </section>
  )
}

function Drawing({
  title,
  begins,
  end,
  series,
  isStacked,
  format,
  onPoint,
}: ChartProps & Pick<PlotOptions, 'onPoint'>) {
  const box = useRef<HTMLDivElement>(null)
  const theme = useTheme()
  useEffect(() => {
    const element = box.current!
    const drawn = plot(element, { begins, end, series, isStacked, format, onPoint })
    const watch = new ResizeObserver(() => drawn.setSize({ width: element.clientWidth, height: drawn.height }))
    watch.observe(element)
    return () => {
      watch.disconnect()
      drawn.destroy()
    }
    // `theme` is listed so that a new theme's colours are read.
  }, [begins, end, series, isStacked, format, onPoint, theme])
  return <div ref={box} role="img" aria-label={texts.drawnTheTableBelow(title)} className="mt-2" />
}
