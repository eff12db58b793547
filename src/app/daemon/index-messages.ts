import type { Observable } from 'rxjs'
import type { Clock } from '../../base/lib/clock.ts'
import type { PublishedEvent } from '../../base/protocol/event.ts'
import type { Search } from '../../platform/search/search.ts'

/** So long what is said is gathered before it is taken in; a search takes in what there is anyway. */
const gatherMs = 2000

/** Has search take in what is said, now and then, and first what was said before. Returns what ends that. */
export function indexMessages(
  events$: Observable<PublishedEvent>,
  { search, clock }: { readonly search: Pick<Search, 'takeIn'>; readonly clock: Clock },
): () => void {
  let cancelTimer: (() => void) | undefined
  const soon = (): void => {
    cancelTimer ??= clock.after(gatherMs, () => {
      cancelTimer = undefined
      search.takeIn()
    })
  }
  soon()
  const listening = events$.subscribe(({ type }) => {
    if (type === 'turn-accepted' || type === 'turn-settled') soon()
  })
  return () => {
    cancelTimer?.()
    listening.unsubscribe()
  }
}
