import type { Observable } from 'rxjs'
import type { Clock } from '../../base/lib/clock.ts'
import type { PublishedEvent } from '../../base/protocol/event.ts'
import type { Search } from './search.ts'

/** How soon after a start of Iris the texts from before it are indexed. */
const firstMs = 2000
/**
 * How long new messages are gathered before they are indexed: a search indexes them anyway, and the thread takes
 * memory.
 */
const gatherMs = 60_000

/** Indexes the existing messages, and from then on new ones. Returns a function that ends this. */
export function indexMessages(
  events$: Observable<PublishedEvent>,
  { search, clock }: { readonly search: Pick<Search, 'takeIn'>; readonly clock: Clock },
): () => void {
  let cancelTimer: (() => void) | undefined
  const soon = (ms: number): void => {
    cancelTimer ??= clock.machine.after(ms, () => {
      cancelTimer = undefined
      search.takeIn()
    })
  }
  soon(firstMs)
  const listening = events$.subscribe(({ type }) => {
    if (type === 'turn-accepted' || type === 'turn-settled') soon(gatherMs)
  })
  return () => {
    cancelTimer?.()
    listening.unsubscribe()
  }
}
