import type { ReactNode } from 'react'

interface FigureCardProps {
  readonly title: string
  /** The most important figure. */
  readonly figure?: string
  /** What the figures are about. */
  readonly note?: string
  readonly children: ReactNode
}

/** Figures that belong together. */
export function FigureCard({ title, figure, note, children }: FigureCardProps) {
  return (
    <section className="border-line bg-panel rounded-lg border p-4" aria-label={title}>
      <h2 className={figure === undefined ? 'font-semibold' : 'text-muted'}>{title}</h2>
      {figure !== undefined && <p className="text-2xl font-semibold tabular-nums">{figure}</p>}
      {note !== undefined && <p className="text-muted text-xs">{note}</p>}
      <dl className="mt-2 flex flex-col gap-1">{children}</dl>
    </section>
  )
}

/** One figure, in a line with its name. */
export function FigureLine({ name, value }: { readonly name: string; readonly value: ReactNode }) {
  return (
    <div className="flex items-baseline justify-between gap-3">
      <dt className="text-muted min-w-0">{name}</dt>
      <dd className="max-w-3/4 shrink-0 text-right tabular-nums wrap-anywhere">{value}</dd>
    </div>
  )
}
