import { Link } from '@tanstack/react-router'
import type { Output } from '../api/operations.ts'
import { duration } from '../format/durations.ts'
import { compact } from '../format/figures.ts'
import { Badge } from '../ui/badge.tsx'
import { CopyButton } from '../ui/copy-button.tsx'
import { texts } from './texts.ts'
import { askedTurn, toolTarget } from './tool-target.ts'

type Part = Output<'turn_transcript'>['parts'][number]
type Tool = Extract<Part, { kind: 'tool' }>

/** One step of a turn. Text of agents and tools is shown as text. */
export function TurnPart({ part, isOngoing }: { readonly part: Part; readonly isOngoing: boolean }) {
  switch (part.kind) {
    case 'text':
      return (
        <p dir="auto" className="max-w-[72ch] wrap-anywhere whitespace-pre-wrap">
          {part.text}
          <Cut characters={part.cutCharacters} />
        </p>
      )
    case 'thinking':
      return (
        <details>
          <summary className="text-muted cursor-pointer">{texts.thought}</summary>
          <p dir="auto" className="text-muted mt-1 max-w-[72ch] wrap-anywhere whitespace-pre-wrap italic">
            {part.text}
            <Cut characters={part.cutCharacters} />
          </p>
        </details>
      )
    case 'tool':
      return <ToolStep tool={part} isOngoing={isOngoing} />
    case 'compaction':
      return (
        <p className="text-muted">
          {texts.theConversationWasMade}
          {part.beforeTokens !== undefined && texts.shortenedFrom(compact(part.beforeTokens))}
          {part.afterTokens !== undefined && texts.shortenedTo(compact(part.afterTokens))}.
        </p>
      )
    case 'continued':
      return <p className="text-warn">{texts.theProcessEndedAnother}</p>
    case 'note':
      return <p className="text-warn wrap-anywhere">{part.text}</p>
  }
}

function ToolStep({ tool, isOngoing }: { readonly tool: Tool; readonly isOngoing: boolean }) {
  const { name, input, result, isError, durationMs } = tool
  const target = toolTarget(input)
  const asked = askedTurn(name, result)
  return (
    <details className="border-line rounded-md border px-3 py-1.5">
      <summary className="cursor-pointer">
        <span className="font-mono">{name}</span>{' '}
        {target !== '' && <code className="text-muted wrap-anywhere">{target}</code>}{' '}
        {result === undefined ? (
          <Badge tone={isOngoing ? 'busy' : 'warn'}>{isOngoing ? texts.atWork : texts.noEndKnown}</Badge>
        ) : (
          <Badge tone={isError ? 'bad' : 'good'}>{isError ? texts.error : texts.done}</Badge>
        )}
        {durationMs !== undefined && <span className="text-muted text-xs"> {duration(durationMs)}</span>}
      </summary>
      {asked !== undefined && (
        <Link to="/traces/$turnId" params={{ turnId: asked }} className="text-accent underline">
          {texts.itsOwnTrace}
        </Link>
      )}
      <TextBlock title={texts.input} text={input} cut={tool.inputCutCharacters} />
      {result !== undefined && <TextBlock title={texts.result} text={result} cut={tool.resultCutCharacters} />}
    </details>
  )
}

interface TextBlockProps {
  readonly title: string
  readonly text: string
  readonly cut: number | undefined
}

function TextBlock({ title, text, cut }: TextBlockProps) {
  return (
    <div className="mt-2">
      <div className="text-muted flex items-center justify-between text-xs">
        {title}
        <CopyButton text={text} label={texts.copyThe(title.toLowerCase())} />
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it is scrolled by keyboard. */}
      <pre tabIndex={0} className="bg-raised max-h-80 overflow-auto rounded-md p-2 font-mono text-xs">
        {text === '' ? texts.nothing : text}
        <Cut characters={cut} />
      </pre>
    </div>
  )
}

function Cut({ characters }: { readonly characters: number | undefined }) {
  return characters === undefined ? null : <span className="text-muted">{texts.moreCharacters(characters)}</span>
}
