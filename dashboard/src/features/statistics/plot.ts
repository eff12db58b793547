import uPlot from 'uplot'
import { timeMark } from '../../shared/format/times.ts'

export interface ChartSeries {
  readonly name: string
  /** A colour name of the theme: "good". */
  readonly color: string
  /** One value for each bucket; null if nothing was measured. */
  readonly values: readonly (number | null)[]
}

export interface PlotOptions {
  /** Milliseconds since the epoch. */
  readonly begins: readonly number[]
  /** The end of the last bucket. */
  readonly end: number
  readonly series: readonly ChartSeries[]
  readonly isStacked: boolean
  readonly format: (value: number) => string
  /** `index`: the bucket under the pointer; undefined once the pointer has left the chart. */
  readonly onPoint: (index: number | undefined) => void
}

export interface ChartProps extends Omit<PlotOptions, 'onPoint'> {
  readonly title: string
  readonly bucket: 'hour' | 'day' | 'week'
}

/** The height of a chart, in pixels. */
export const height = 180
const leastLabelWidth = 40
const labelMargin = 6

/** Draws into the element, in the colours that apply there. */
export function plot(element: HTMLElement, options: PlotOptions): uPlot {
  const { begins, end, series, isStacked, format, onPoint } = options
  const style = getComputedStyle(element)
  const color = (name: string): string => style.getPropertyValue(`--${name}`)
  const axis = { stroke: color('muted'), grid: { stroke: color('line'), width: 1 }, ticks: { show: false } }
  const drawn = isStacked ? stacked(series) : series
  const paths = isStacked ? { paths: uPlot.paths.bars!({ size: [0.8, 40], align: 1 }), points: { show: false } } : {}
  return new uPlot(
    {
      width: element.clientWidth,
      height,
      legend: { show: false },
      cursor: { drag: { x: false, y: false }, points: { show: !isStacked } },
      scales: {
        x: { range: [(begins[0] ?? 0) / 1000, end / 1000] },
        y: { range: (_plot, _least, most) => [0, most > 0 ? most * 1.05 : 1] },
      },
      axes: [
        { ...axis, space: 80, values: (_plot, seconds) => seconds.map((second) => timeMark(second * 1000)) },
        { ...axis, size: widthOfLabels, values: (_plot, values) => values.map(format) },
      ],
      series: [
        {},
        ...drawn.map(({ color: name, values }) => ({
          stroke: color(name),
          width: isStacked ? 0 : 2,
          ...(isStacked && { fill: color(name) }),
          spanGaps: true,
          ...paths,
          // A line needs two values; a single value is drawn as a point.
          ...(!isStacked && measured(values) === 1 && { points: { show: true, size: 7, fill: color(name) } }),
        })),
      ],
      hooks: { setCursor: [({ cursor }) => onPoint(cursor.idx ?? undefined)] },
    },
    [begins.map((begin) => begin / 1000), ...drawn.map(({ values }) => [...values])],
    element,
  )
}

/** Room for the longest label, in pixels: a time is longer than a number. uPlot asks again until nothing changes. */
function widthOfLabels({ ctx, axes }: uPlot, values: readonly string[] | null, axisIndex: number): number {
  const { font, gap = 0 } = axes[axisIndex]!
  // uPlot stores a font with its size as `[font, pixels]`, in pixels of the screen.
  ctx.font = String(Array.isArray(font) ? font[0] : font)
  const widths = (values ?? []).map((value) => ctx.measureText(value).width / devicePixelRatio)
  return Math.max(leastLabelWidth, Math.ceil(Math.max(0, ...widths)) + gap + labelMargin)
}

function measured(values: ChartSeries['values']): number {
  return values.filter((value) => value !== null).length
}

/** Stacks each series on those before it. The highest is drawn first, and the lower ones over it. */
function stacked(series: readonly ChartSeries[]): ChartSeries[] {
  const sums = series[0]?.values.map(() => 0) ?? []
  const raised = series.map((each) => ({
    ...each,
    values: each.values.map((value, index) => (sums[index]! += value ?? 0)),
  }))
  return raised.toReversed()
}
