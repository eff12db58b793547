import { lazy, memo, Suspense } from 'react'
import { isCostly } from './is-costly.ts'
import { streamedBlocks } from './streamed.ts'

const Markdown = lazy(async () => ({ default: (await import('./markdown.tsx')).Markdown }))

interface AgentTextProps {
  readonly text: string
  /** Whether the text is still being written. If so, what is already shown must not jump. */
  readonly isLive?: boolean
}

/** An agent's text as Markdown; as plain text while the renderer is loading, or if rendering would take long. */
export function AgentText({ text, isLive = false }: AgentTextProps) {
  return (
    <div
      className="prose-measure mt-1 flex min-w-0 flex-col gap-2 wrap-anywhere"
      {...(isLive && { 'aria-live': 'off' })}
    >
      {(isLive ? streamedBlocks(text) : [text]).map((block, index) => (
        // Blocks are only added at the end.
        // biome-ignore lint/suspicious/noArrayIndexKey: two blocks may be the same
        <Block key={index} text={block} />
      ))}
    </div>
  )
}

/** Rendered once, however long the text after it becomes. */
const Block = memo(({ text }: { readonly text: string }) => {
  const asItIs = (
    <p dir="auto" className="whitespace-pre-wrap">
      {text}
    </p>
  )
  if (isCostly(text)) return asItIs
  return (
    <Suspense fallback={asItIs}>
      <Markdown text={text} />
    </Suspense>
  )
})
