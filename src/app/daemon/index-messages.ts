import type { Observable } from 'rxjs'
import type { Clock } from '../../base/lib/clock.ts'
import type { PublishedEvent } from '../../base/protocol/event.ts'
import type { Search } from '../../platform/search/search.ts'

/** New messages are gathered so long: a search indexes what there is anyway, and the thread takes memory while it lives. */
const gatherMs = 60_000

/** Indexes the existing messages, and from then on new ones. Returns a function that ends this. */
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
