import { Link } from '@tanstack/react-router'
import { type KeyboardEvent, lazy, Suspense, useId, useState } from 'react'
import { visible } from '../../../../src/base/lib/visible.ts'
import type { PermissionView } from '../../../../src/base/protocol/permission-view.ts'
import { CopyButton } from '../ui/copy-button.tsx'
import { Icon } from '../ui/icon.tsx'
import { TimeSince } from '../ui/time-since.tsx'
import { useAskerNames } from '../ui/use-asker-names.ts'
import { type Choice, choices, freshDraft, pairOf } from './answer.ts'
import { AnswerBar } from './answer-bar.tsx'
import { Countdown } from './countdown.tsx'
import { wantsText } from './decided-text.ts'
import { DraftFields } from './draft-fields.tsx'
import { ShownInput } from './shown-input.tsx'
import { texts } from './texts.ts'
import { useAnswer } from './use-answer.ts'
import { warningsOf } from './warnings.ts'

const SureOfRule = lazy(async () => ({ default: (await import('./opened/sure-of-rule.tsx')).SureOfRule }))

interface QuestionCardProps {
  readonly permission: PermissionView
  readonly skewMs: number
  /** Whether keys and clicks are ignored: `isQuiet` as of the last rendering, `quietNow` at this very moment. */
  readonly isQuiet: boolean
  readonly quietNow: { readonly current: boolean }
  /** Called when this tab is about to answer the question. */
  readonly onAnswer?: (permissionId: string) => void
}

/** One question. Keys act only on this question, and only while the focus is in it. */
export function QuestionCard({ permission, skewMs, isQuiet, quietNow, onAnswer }: QuestionCardProps) {
  const { permissionId, team, deadline } = permission
  const [toolName, directory] = [permission.toolName, permission.directory].map(visible) as [string, string]
  const warnings = warningsOf(permission)
  const heading = useId()
  const [draft, setDraft] = useState(() => freshDraft(permission))
  const { send, trouble, isPending } = useAnswer(permission)
  /** The answer that needs a second confirmation. */
  const [unsure, setUnsure] = useState<Choice>()
  const answer = (choice: Choice, by: 'mouse' | 'key' | 'confirmation'): void => {
    if (quietNow.current) return
    // A permanent rule needs more than one key, and more than one click on a card with warnings.
    const isLasting = choice.scope === 'always' || (choice.scope === 'pair' && by === 'key')
    const needsCare = isLasting && (by === 'key' || warnings.length > 0) && draft.rule.trim() !== ''
    if (needsCare && by !== 'confirmation') return setUnsure(choice)
    setUnsure(undefined)
    if (send(choice, draft)) onAnswer?.(permissionId)
  }
  const onKeyDown = (event: KeyboardEvent<HTMLElement>): void => {
    const choice = unsure === undefined && meantKey(event) ? choices[event.key.toLowerCase()] : undefined
    if (choice === undefined) return
    event.preventDefault()
    answer(choice, 'key')
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
        <h2 id={heading} className="font-semibold wrap-anywhere">
          {wantsText(permission)}
        </h2>
        <Countdown deadline={deadline} skewMs={skewMs} />
      </div>
      <WhoAsks permission={permission} directory={directory} />
      <div className="flex items-start gap-1">
        <div className="min-w-0 flex-1">
          <ShownInput shown={permission.shown} />
        </div>
        <CopyButton text={JSON.stringify(permission.input, null, 2)} label={texts.copyTheInputOf(toolName)} />
      </div>
      <Warnings warnings={warnings} />
      <DraftFields permission={permission} draft={draft} onChange={setDraft} />
      {trouble !== undefined && (
        <p role="alert" className="text-bad wrap-anywhere">
          {trouble}
        </p>
      )}
      {isPending && <p role="status">{texts.sendingAnswer}</p>}
      {unsure === undefined ? (
        <>
          <AnswerBar
            isQuiet={isQuiet || isPending}
            isRisky={warnings.length > 0}
            pair={pairOf(permission)}
            onChoose={(choice) => answer(choice, 'mouse')}
          />
          {draft.rule !== '' && (
            <p className="text-muted text-xs wrap-anywhere">
              {texts.alwaysAdds(team)}
              <code className="text-ink">{draft.rule}</code>
            </p>
          )}
        </>
      ) : (
        <Suspense>
          <SureOfRule
            rule={draft.rule}
            team={team}
            isForPair={unsure.scope === 'pair'}
            onLeave={() => setUnsure(undefined)}
            onWrite={() => answer(unsure, 'confirmation')}
          />
        </Suspense>
      )}
    </article>
  )
}

/** Who asks, from the first asker to the team; when; and where the tool would run. */
function WhoAsks({ permission, directory }: Pick<QuestionCardProps, 'permission'> & { readonly directory: string }) {
  const { chain, askedAt, turnId } = permission
  return (
    <p className="text-muted wrap-anywhere">
      {texts.askedBy}
      <span className="text-ink font-medium">{chain.map(useAskerNames(chain)).join(' → ')}</span>,{' '}
      <TimeSince at={askedAt} />
      {texts.inConversation}
      <code>{directory}</code>
      {turnId !== null && (
        <>
          {' · '}
          <Link to="/traces/$turnId" params={{ turnId }} className="text-accent underline">
            {texts.viewTrace}
          </Link>
        </>
      )}
    </p>
  )
}

function Warnings({ warnings }: { readonly warnings: readonly string[] }) {
  if (warnings.length === 0) return null
  return (
    <p className="text-warn flex items-start gap-1.5">
      <Icon name="warning" className="mt-0.5 size-4 shrink-0" />
      <span className="min-w-0 wrap-anywhere">
        {texts.checkFirst(warnings.join(warnings.some((each) => each.includes(',')) ? '; ' : ', '))}
      </span>
    </p>
  )
}

/** A key without modifiers, pressed once, and not in a field, where it is text. */
function meantKey({ repeat, ctrlKey, metaKey, altKey, target }: KeyboardEvent<HTMLElement>): boolean {
  const isField = target instanceof HTMLElement && target.closest('input, textarea, select, a') !== null
  return !repeat && !ctrlKey && !metaKey && !altKey && !isField
}
