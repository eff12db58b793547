import { type ComponentProps, lazy, type ReactNode, Suspense, useEffect, useRef, useState } from 'react'
import ReactMarkdown from 'react-markdown'
import remarkGfm from 'remark-gfm'
import { CopyButton } from '../ui/copy-button.tsx'
import { texts } from './texts.ts'

/** Links that an agent wrote can only open web pages. */
function safeUrl(url: string): string {
  return /^https?:\/\//i.test(url) ? url : ''
}

const components: ComponentProps<typeof ReactMarkdown>['components'] = {
  a: ({ href, children }) =>
    href ? (
      <a href={href} target="_blank" rel="noopener noreferrer" className="text-accent underline">
        {children}
      </a>
    ) : (
      <span>{children}</span>
    ),
  // Loading a picture would tell its host that somebody looked at it, and when.
  img: ({ alt, src }) => <span className="text-muted">{texts.picture(alt || String(src))}</span>,
  // Real headings belong to the page; those of an answer only look like headings.
  h1: Heading,
  h2: Heading,
  h3: SmallHeading,
  h4: SmallHeading,
  h5: SmallHeading,
  h6: SmallHeading,
  // Each part has its own direction of writing: an answer may mix them.
  p: ({ children }) => <p dir="auto">{children}</p>,
  li: ({ children }) => <li dir="auto">{children}</li>,
  td: ({ children }) => <td dir="auto">{children}</td>,
  th: ({ children }) => <th dir="auto">{children}</th>,
  ul: ({ children }) => (
    <ul dir="auto" className="list-disc ps-5">
      {children}
    </ul>
  ),
  ol: ({ children, start }) => (
    <ol dir="auto" className="list-decimal ps-5" start={start}>
      {children}
    </ol>
  ),
  pre: CodeBlock,
  code: Code,
  blockquote: ({ children }) => (
    <blockquote dir="auto" className="border-line text-muted border-s-2 ps-3">
      {children}
    </blockquote>
  ),
  table: ({ children }) => (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: it is scrolled by keyboard.
    <div tabIndex={0} role="group" aria-label={texts.table} className="overflow-x-auto">
      <table className="[&_td]:border-line [&_th]:border-line text-start [&_td]:border [&_td]:px-2 [&_th]:border [&_th]:px-2">
        {children}
      </table>
    </div>
  ),
  input: ({ checked }) => <span>{checked ? '☑' : '☐'} </span>,
}

function Heading({ children }: { readonly children?: ReactNode }) {
  return (
    <p dir="auto" className="text-base font-semibold">
      {children}
    </p>
  )
}

function SmallHeading({ children }: { readonly children?: ReactNode }) {
  return (
    <p dir="auto" className="font-semibold">
      {children}
    </p>
  )
}

const HighlightedCode = lazy(async () => ({ default: (await import('./highlighted-code.tsx')).HighlightedCode }))

/** Grammars are loaded with the first code whose language is named. */
function Code({ className = '', children }: ComponentProps<'code'>) {
  const language = /(?:^| )language-(\S+)/.exec(className)?.[1]
  return (
    <code className="bg-raised rounded px-1 font-mono text-xs [pre_&]:px-0">
      {language !== undefined && typeof children === 'string' ? (
        <Suspense fallback={children}>
          <HighlightedCode language={language.toLowerCase()} text={children} />
        </Suspense>
      ) : (
        children
      )}
    </code>
  )
}

/** A block of code, and a button that copies it. */
function CodeBlock({ children }: { readonly children?: ReactNode }) {
  const block = useRef<HTMLPreElement>(null)
  const [text, setText] = useState('')
  useEffect(() => setText(block.current?.textContent ?? ''), [children])
  return (
    <div className="relative">
      <div className="bg-raised absolute inset-y-0 right-0 rounded-md p-1">
        <CopyButton text={text} label={texts.copyTheCode} />
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it is scrolled by keyboard. */}
      <pre
        ref={block}
        tabIndex={0}
        dir="ltr"
        className="bg-raised overflow-x-auto rounded-md p-2 pr-10 font-mono text-xs"
      >
        {children}
      </pre>
    </div>
  )
}

const plugins = [remarkGfm]

/** Renders Markdown. HTML in the text stays text. */
export function Markdown({ text }: { readonly text: string }) {
  return (
    <ReactMarkdown remarkPlugins={plugins} urlTransform={safeUrl} components={components}>
      {text}
    </ReactMarkdown>
  )
}
