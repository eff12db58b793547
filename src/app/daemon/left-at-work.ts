import type { Observable } from 'rxjs'
import type { PublishedEvent } from '../../base/protocol/event.ts'
import type { Questions } from '../../core/permission/questions.ts'
import type { Launcher } from '../../core/pool/launch.ts'
import type { Ledger } from '../../platform/store/ledger.ts'

/** Returns a test: whether a uuid is the newest delivery of a turn that has not ended. */
export function awaitedIn(ledger: Ledger): (uuid: string) => boolean {
  return (uuid) => ledger.unsettled().some(({ id }) => ledger.deliveriesOf(id).at(-1)?.uuid === uuid)
}

/**
 * Ends the questions that a former daemon left, except those of unsettled turns on other machines: their processes may
 * still live. Every question ends with its turn.
 */
export function keepQuestions(
  questions: Questions,
  events: Observable<PublishedEvent>,
  { ledger, launcher }: { readonly ledger: Ledger; readonly launcher: Pick<Launcher, 'isRemote'> },
): void {
  const isUnsettled = (turnId: string): boolean => ledger.turn(turnId)?.state === 'dispatched'
  questions.endLeft(({ to, turn }) => turn !== null && launcher.isRemote(to) && isUnsettled(turn))
  events.subscribe((event) => {
    if (event.type !== 'turn-settled') return
    questions.endThose(({ turn }) => turn === event.turnId, 'its message has ended')
  })
}
