import { lazy, Suspense } from 'react'
import { isCostly } from './is-costly.ts'

const Markdown = lazy(async () => ({ default: (await import('./markdown.tsx')).Markdown }))

/** What an agent wrote, as its markdown says; as it is while that is being loaded, and where reading it would take long. */
export function AgentText({ text }: { readonly text: string }) {
  const asItIs = <p className="whitespace-pre-wrap">{text}</p>
  return (
    <div className="mt-1 flex min-w-0 flex-col gap-2 wrap-anywhere">
      {isCostly(text) ? (
        asItIs
      ) : (
        <Suspense fallback={asItIs}>
          <Markdown text={text} />
        </Suspense>
      )}
    </div>
  )
}
