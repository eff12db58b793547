import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import type { Problem } from '../api/operations.ts'
import { Button } from './button.tsx'
import { texts } from './texts.ts'

/** For an empty list: says why it is empty, and what would change that. */
export function Empty({ title, children }: { readonly title: string; readonly children?: ReactNode }) {
  return (
    <div className="border-line text-muted flex flex-col items-center gap-2 rounded-lg border border-dashed p-8 text-center">
      <p className="text-ink font-medium">{title}</p>
      {children}
    </div>
  )
}

/** While the first answer is on its way; `what` is read out: "the sessions". */
export function Loading({ what }: { readonly what: string }) {
  return (
    <div role="status" className="text-muted animate-pulse p-8 text-center">
      {texts.loading(what)}
    </div>
  )
}

/** Removes the sentences that name a tool, because they are for agents and programs. */
function withoutTools(remedy: string): string {
  const sentences = remedy.split(/(?<=\.) /)
  return sentences.filter((sentence) => !/\b[a-z]+_[a-z_]+\b/.test(sentence)).join(' ')
}

interface TroubleProps {
  readonly problem: Problem | Error
  readonly onRetry?: () => void
}

/** What happened and what to do. What was there before stays on the screen beside it. */
export function Trouble({ problem, onRetry }: TroubleProps) {
  const remedy = 'remedy' in problem ? withoutTools(problem.remedy) : ''
  const isUnknown = 'code' in problem && (problem.code === 'unknown_session' || problem.code === 'unknown_turn')
  return (
    <div
      role="alert"
      className="border-bad/50 bg-panel flex flex-wrap items-center gap-x-4 gap-y-2 rounded-lg border p-4"
    >
      <div className="min-w-0 flex-1">
        <p className="text-bad font-medium wrap-anywhere">{problem.message}</p>
        {remedy !== '' && <p className="wrap-anywhere">{remedy}</p>}
        {isUnknown && (
          <Link to="/conversations" className="text-accent underline">
            {texts.lookAmongAllConversations}
          </Link>
        )}
      </div>
      {onRetry && <Button onClick={onRetry}>{texts.tryAgain}</Button>}
    </div>
  )
}
