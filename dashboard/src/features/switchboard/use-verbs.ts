import { useCallback, useState } from 'react'
import type { Problem } from '../../shared/api/operations.ts'
import { useNotices } from '../../shared/ui/notices.tsx'
import type { Session } from './changes.ts'
import { isHarmless, perform, type Verb } from './verbs.ts'

export interface Asked {
  readonly verb: Verb
  readonly session: Session
}

/** Performs a verb at once if it takes nothing away; otherwise asks the person first. */
export function useVerbs() {
  const [asked, setAsked] = useState<Asked>()
  const tell = useNotices()
  const onVerb = useCallback(
    (verb: Verb, session: Session) => {
      // Waits until the menu has returned the focus, because the dialog returns it to the same element later.
      if (!isHarmless(verb, session)) return void setTimeout(() => setAsked({ verb, session }), 50)
      perform(verb, session, { deleteTranscripts: false, newThread: '' }).then(tell, (error: Problem) =>
        tell(`${error.message} ${error.remedy ?? ''}`, { isTrouble: true }),
      )
    },
    [tell],
  )
  const close = useCallback(() => setAsked(undefined), [])
  return { asked, onVerb, close }
}
