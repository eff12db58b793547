import type { Observable } from 'rxjs'
import type { PublishedEvent } from '../../base/protocol/event.ts'

/**
 * Keeps each conversation's transcript once it has answered, and again when its process has ended: then the transcript
 * is whole. Only the daemon's end waits for this work, with the returned function.
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
    // One after the other: of two at once, each would mistake the other's link for an attack.
    const before = underWay.get(sessionId) ?? Promise.resolve()
    const work: Promise<void> = before
      .then(() => keep(to, sessionId))
      .then((isKept) => {
        // Claude Code writes the transcript late: the next turn, or the end of the process, tries again.
        if (!isKept) kept.delete(sessionId)
        if (underWay.get(sessionId) === work) underWay.delete(sessionId)
      })
    underWay.set(sessionId, work)
  })
  return () => Promise.all(underWay.values())
}
