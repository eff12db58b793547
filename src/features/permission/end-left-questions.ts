import type { Observable } from 'rxjs'
import type { PublishedEvent } from '../../base/protocol/event.ts'
import type { Launcher } from '../../kernel/pool/launch.ts'
import type { Ledger } from '../../platform/store/ledger.ts'
import type { Questions } from './questions.ts'

/**
 * Ends the questions that a former daemon left, except those of unsettled turns on other machines: their processes may
 * still be alive. Every question ends with its turn.
 */
export function endLeftQuestions(
  questions: Questions,
  events: Observable<PublishedEvent>,
  { ledger, launcher }: { readonly ledger: Pick<Ledger, 'turn'>; readonly launcher: Pick<Launcher, 'isRemote'> },
): void {
  const isUnsettled = (turnId: string): boolean => ledger.turn(turnId)?.state === 'dispatched'
  questions.endLeft(({ to, turn }) => turn !== null && launcher.isRemote(to) && isUnsettled(turn))
  events.subscribe((event) => {
    if (event.type !== 'turn-settled') return
    questions.endThose(({ turn }) => turn === event.turnId, 'its message has ended')
  })
}
