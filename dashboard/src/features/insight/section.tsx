import { Link } from '@tanstack/react-router'
import { type ReactNode, useId } from 'react'
import { CopyButton } from '../../shared/ui/copy-button.tsx'
import { texts } from './texts.ts'

interface SectionProps {
  readonly title: string
  /** What the reader can do about it. */
  readonly advice: string
  readonly children: readonly ReactNode[]
  /** If this kind is switched off, the reason why there is nothing new. */
  readonly off?: string | undefined
}

/** One kind of finding. `NothingFound` names the kinds without findings, except those that are switched off. */
export function Section({ title, advice, children, off }: SectionProps) {
  const id = useId()
  if (children.length === 0) {
    return off === undefined ? null : (
      <section aria-labelledby={id} className="order-last flex flex-wrap gap-x-2">
        <h2 id={id} className="font-semibold">
          {title}
        </h2>
        <p className="text-muted">{off}</p>
      </section>
    )
  }
  return (
    <section aria-labelledby={id} className="border-line bg-panel min-w-0 rounded-lg border p-4">
      <h2 id={id} className="font-semibold">
        {title}
      </h2>
      <p className="text-muted">{off ?? advice}</p>
      <ul className="divide-line mt-2 flex flex-col divide-y">{children}</ul>
    </section>
  )
}

/** The SQL statement that computes a figure, folded. */
export function Query({ sql }: { readonly sql: string }) {
  return (
    <details className="text-xs">
      <summary className="text-muted cursor-pointer">{texts.query}</summary>
      <div className="flex items-start gap-1">
        <pre className="bg-page min-w-0 flex-1 rounded-md p-2 font-mono whitespace-pre-wrap wrap-anywhere">{sql}</pre>
        <CopyButton text={sql} label={texts.copyTheQuery} />
      </div>
    </details>
  )
}

export function TurnLink({ turnId, children }: { readonly turnId: string; readonly children: string }) {
  return (
    <Link to="/traces/$turnId" params={{ turnId }} className="text-accent underline">
      <bdi>{children}</bdi>
    </Link>
  )
}
