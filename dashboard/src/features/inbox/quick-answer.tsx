import { useEffect, useState } from 'react'
import type { PermissionView } from '../../../../src/base/protocol/permission-view.ts'
import { type Choice, choices, freshDraft } from '../../shared/questions/answer.ts'
import { useAnswer } from '../../shared/questions/use-answer.ts'
import { warningsOf } from '../../shared/questions/warnings.ts'
import { texts } from './texts.ts'

/** What the keys of a row do with its question. */
export interface Answering {
  press(which: 'allow' | 'deny'): void
  /** False if nothing was chosen. */
  confirm(): boolean
  /** False if nothing was chosen. */
  leave(): boolean
}

interface QuickAnswerProps {
  readonly permission: PermissionView
  readonly register: (answering: Answering | undefined) => void
}

const byKey = { allow: choices['a']!, deny: choices['d']! } as const

/** Answers by a digit: at once, or after Enter if there is something to check first. */
export function QuickAnswer({ permission, register }: QuickAnswerProps) {
  const { send, isPending, trouble } = useAnswer(permission)
  const [chosen, setChosen] = useState<Choice>()
  const isRisky = warningsOf(permission).length > 0
  useEffect(() => {
    const has = chosen !== undefined
    register({
      press: (which) => {
        if (isRisky) setChosen(byKey[which])
        else send(byKey[which], freshDraft(permission))
      },
      confirm: () => {
        if (chosen !== undefined) send(chosen, freshDraft(permission))
        setChosen(undefined)
        return has
      },
      leave: () => {
        setChosen(undefined)
        return has
      },
    })
    return () => register(undefined)
  })
  return (
    <p role="status" className="text-muted text-xs max-sm:hidden">
      {isPending ? (
        texts.sending
      ) : chosen === undefined ? (
        <Hint />
      ) : (
        <strong className="text-ink text-base">{texts.enterSends(wordOf(chosen))}</strong>
      )}
      {trouble}
    </p>
  )
}

function wordOf({ decision }: Choice): string {
  return decision === 'allow' ? texts.allowKey : texts.denyKey
}

function Hint() {
  return (
    <>
      <kbd className="border-line rounded-xs border px-1">1</kbd> {texts.allowKey}{' '}
      <kbd className="border-line rounded-xs border px-1">2</kbd> {texts.denyKey}
    </>
  )
}
