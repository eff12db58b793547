import { Link } from '@tanstack/react-router'
import { type KeyboardEvent, useId, useState } from 'react'
import { visible } from '../../../../src/base/lib/visible.ts'
import type { PermissionView } from '../../../../src/base/protocol/operations/permissions.ts'
import { CopyButton } from '../../shared/ui/copy-button.tsx'
import { Icon } from '../../shared/ui/icon.tsx'
import { TimeSince } from '../../shared/ui/time-since.tsx'
import { type Choice, choices, freshDraft } from './answer.ts'
import { AnswerBar } from './answer-bar.tsx'
import { Countdown } from './countdown.tsx'
import { DraftFields } from './draft-fields.tsx'
import { ShownInput } from './shown-input.tsx'
import { useAnswer } from './use-answer.ts'

interface QuestionCardProps {
  readonly permission: PermissionView
  readonly skewMs: number
  /** What is pressed now is not meant: as it is shown, and as it is this very moment. */
  readonly isQuiet: boolean
  readonly quietNow: { readonly current: boolean }
  /** This tab is about to answer it. */
  readonly onAnswer: (permissionId: string) => void
}

/** One question. Keys count only while the focus is in it, and only for it. */
export function QuestionCard({ permission, skewMs, isQuiet, quietNow, onAnswer }: QuestionCardProps) {
  const { permissionId, team, chain, risks, blockedPath, turnId, askedAt, deadline } = permission
  const [toolName, directory] = [permission.toolName, permission.directory].map(visible) as [string, string]
  // Claude Code names each file that is written to; one in the project is where an agent works.
  const reaches = blockedPath === null || blockedPath.startsWith(`${permission.directory}/`) ? [] : [blockedPath]
  const warnings = [...risks, ...reaches.map((path) => `reaches ${visible(path)}`)]
  const heading = useId()
  const [draft, setDraft] = useState(() => freshDraft(permission))
  const { send, trouble } = useAnswer(permission)
  const answer = (choice: Choice): void => {
    if (!quietNow.current && send(choice, draft)) onAnswer(permissionId)
  }
  const onKeyDown = (event: KeyboardEvent<HTMLElement>): void => {
    const choice = meantKey(event) ? choices[event.key.toLowerCase()] : undefined
    if (choice === undefined) return
    event.preventDefault()
    answer(choice)
  }
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: the focus says which question a key answers
    <article
      tabIndex={0}
      aria-labelledby={heading}
      data-permission={permissionId}
      data-keys={isQuiet ? 'quiet' : 'ready'}
      onKeyDown={onKeyDown}
      className="border-line bg-panel focus-within:border-accent flex flex-col gap-2.5 rounded-lg border p-3"
    >
      <div className="flex flex-wrap items-baseline justify-between gap-x-4 gap-y-1">
        <h3 id={heading} className="font-semibold wrap-anywhere">
          {team} asks: may {toolName} run?
        </h3>
        <Countdown deadline={deadline} skewMs={skewMs} />
      </div>
      <p className="text-muted wrap-anywhere">
        Asked by <span className="text-ink font-medium">{chain.join(' → ')}</span>, <TimeSince at={askedAt} />, in{' '}
        <code>{directory}</code>
        {turnId !== null && (
          <>
            {' · '}
            <Link to="/traces/$turnId" params={{ turnId }} className="text-accent underline">
              what led to it
            </Link>
          </>
        )}
      </p>
      <div className="flex items-start gap-1">
        <div className="min-w-0 flex-1">
          <ShownInput shown={permission.shown} />
        </div>
        <CopyButton text={JSON.stringify(permission.input, null, 2)} label={`Copy the input of ${toolName}`} />
      </div>
      {warnings.length > 0 && (
        <p className="text-warn flex items-start gap-1.5">
          <Icon name="warning" className="mt-0.5 size-4 shrink-0" />
          <span className="min-w-0 wrap-anywhere">Look twice: {warnings.join('; ')}</span>
        </p>
      )}
      <DraftFields permission={permission} draft={draft} onChange={setDraft} />
      {trouble !== undefined && (
        <p role="alert" className="text-bad wrap-anywhere">
          {trouble}
        </p>
      )}
      <AnswerBar isQuiet={isQuiet} onChoose={answer} />
    </article>
  )
}

/** A key alone, pressed once, and not into a field: those who type mean what they type. */
function meantKey({ repeat, ctrlKey, metaKey, altKey, target }: KeyboardEvent<HTMLElement>): boolean {
  const isField = target instanceof HTMLElement && target.closest('input, textarea, select, a') !== null
  return !repeat && !ctrlKey && !metaKey && !altKey && !isField
}
