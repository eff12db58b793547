import { lazy, Suspense } from 'react'

const Markdown = lazy(async () => ({ default: (await import('./markdown.tsx')).Markdown }))

/** What an agent wrote, as its markdown says; as it is while that is being loaded. */
export function AgentText({ text }: { readonly text: string }) {
  return (
    <div className="mt-1 flex min-w-0 flex-col gap-2 wrap-anywhere">
      <Suspense fallback={<p className="whitespace-pre-wrap">{text}</p>}>
        <Markdown text={text} />
      </Suspense>
    </div>
  )
}
