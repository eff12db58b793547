import { dayAndHour, wholeDay } from '../../shared/format/times.ts'
import type { ChartProps } from './plot.ts'
import { texts } from './texts.ts'

/** The figures of a chart as a folded table, the newest first, without empty buckets. */
export function ChartTable({ title, bucket, begins, series, format }: ChartProps) {
  const filled = begins.map((_, index) => index).filter((index) => series.some(({ values }) => values[index]))
  const name = bucket === 'hour' ? dayAndHour : wholeDay
  return (
    <details className="mt-2">
      <summary className="text-muted cursor-pointer">{texts.asATable(title)}</summary>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keyboard */}
      <div className="mt-2 max-h-64 overflow-auto" tabIndex={0} role="region" aria-label={texts.asATable(title)}>
        <table className="w-full text-left">
          <thead className="text-muted">
            <tr>
              <th className="py-1 pr-4 font-medium">
                {bucket === 'week' ? texts.weekOf : bucket === 'day' ? texts.day : texts.hour}
              </th>
              {series.map(({ name: column }) => (
                <th key={column} className="py-1 pr-4 text-right font-medium">
                  {column}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {filled.toReversed().map((index) => (
              <tr key={begins[index]} className="border-line border-t tabular-nums">
                <th className="py-1 pr-4 font-normal whitespace-nowrap">{name(begins[index]!)}</th>
                {series.map(({ name: column, values }) => (
                  <td key={column} className="py-1 pr-4 text-right">
                    {typeof values[index] === 'number' ? format(values[index]) : '–'}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </details>
  )
}
