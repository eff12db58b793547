import type { Observable } from 'rxjs'
import type { PublishedEvent } from '../../base/protocol/event.ts'

/**
 * Has each conversation kept once it has answered, and again when its process has gone: then its transcript is whole.
 * Nobody waits for it but the end of the daemon. Returns what waits for all that is under way.
 */
export function keepTranscripts(
  events$: Observable<PublishedEvent>,
  keep: (team: string, sessionId: string) => Promise<boolean>,
): () => Promise<unknown> {
  const kept = new Set<string>()
  const underWay = new Map<string, Promise<void>>()
  events$.subscribe((event) => {
    if (event.type !== 'turn-settled' && event.type !== 'process-terminated') return
    const { to, sessionId } = event
    if (event.type === 'process-terminated') kept.delete(sessionId)
    else if (kept.has(sessionId)) return
    else kept.add(sessionId)
    // One after the other: two at once would each take the other's name for an attack.
    const before = underWay.get(sessionId) ?? Promise.resolve()
    const work: Promise<void> = before
      .then(() => keep(to, sessionId))
      .then((isKept) => {
        // It is written late: the next turn, or the end of the process, finds it.
        if (!isKept) kept.delete(sessionId)
        if (underWay.get(sessionId) === work) underWay.delete(sessionId)
      })
    underWay.set(sessionId, work)
  })
  return () => Promise.all(underWay.values())
}
