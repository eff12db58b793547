import { lazy, Suspense, useState } from 'react'
import type { DraftFieldsProps } from './opened/draft-form.tsx'
import { texts } from './texts.ts'

const DraftForm = lazy(async () => ({ default: (await import('./opened/draft-form.tsx')).DraftForm }))

/** The optional parts of an answer: the rule that it adds, a changed input, a message to the agent. */
export function DraftFields({ permission, draft, onChange }: DraftFieldsProps) {
  const [isOpen, setOpen] = useState(false)
  return (
    <details onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary className="text-muted cursor-pointer wrap-anywhere">
        {texts.rememberThisAnswer}
        {draft.rule === '' ? texts.aRuleIsNeeded : <code className="text-ink">{draft.rule}</code>}
        {draft.input !== undefined && <span className="text-warn">{texts.withAnotherInput}</span>}
        {draft.message !== '' && <span>{texts.withAReason}</span>}
        {draft.denialScope !== 'once' && <span className="text-warn">{texts.denialHoldsNote}</span>}
      </summary>
      <Suspense>{isOpen && <DraftForm permission={permission} draft={draft} onChange={onChange} />}</Suspense>
    </details>
  )
}
