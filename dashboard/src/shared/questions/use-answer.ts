import { useState } from 'react'
import type { PermissionView } from '../../../../src/base/protocol/permission-view.ts'
import { call, type Input, type Problem } from '../api/operations.ts'
import { useVerb } from '../api/use-operation.ts'
import { useNotices } from '../ui/notices.tsx'
import { answerOf, type Choice, type Draft } from './answer.ts'
import { decidedText } from './decided-text.ts'
import { texts } from './texts.ts'

/** `send` returns whether an answer is on its way; `trouble` says why not, or why Iris did not accept it. */
export function useAnswer(permission: PermissionView) {
  const tell = useNotices()
  const { mutateAsync, isPending } = useVerb('answer_permission')
  const [trouble, setTrouble] = useState<string>()
  const send = (choice: Choice, draft: Draft): boolean => {
    const answer = answerOf(permission, choice, draft)
    if (isPending) return false
    setTrouble(typeof answer === 'string' ? answer : undefined)
    if (typeof answer === 'string') return false
    // Not with the mutation's callbacks, because they end with the card, which may be gone before the answer comes.
    void mutateAsync(answer).then(
      ({ status, permission: decided }) => {
        if (status === 'answered') tell(decidedText(decided), undoable(answer))
        else tell(texts.hadNoEffect(decidedText(decided)), { isTrouble: true })
      },
      ({ message, remedy }: Problem) => {
        setTrouble(`${message} ${remedy}`)
        tell(`${message} ${remedy}`, { isTrouble: true })
      },
    )
    return true
  }
  /** A rule in config.yaml can be undone while its notice is shown. */
  const undoable = ({ scope, decision, rule }: Input<'answer_permission'>) => {
    if (scope !== 'always' || rule === undefined) return {}
    const undo = (): void => {
      const taken = texts.ruleIsTakenOut(rule, permission.team)
      void call('revoke_rule', { team: permission.team, decision, rule }).then(
        () => tell(taken),
        ({ message, remedy }: Problem) => tell(`${message} ${remedy}`, { isTrouble: true }),
      )
    }
    return { action: { label: texts.undo, run: undo } }
  }
  return { send, trouble, isPending }
}
