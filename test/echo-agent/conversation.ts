import type { DeliveryRecord, Sought } from '../../src/base/agent/delivery-record.ts'

/** What an echo agent writes down, in order. */
export type Entry =
  | { readonly kind: 'message'; readonly uuid: string; readonly text: string }
  | { readonly kind: 'tool'; readonly id: string; readonly name: string }
  | { readonly kind: 'return'; readonly id: string }
  | { readonly kind: 'answer'; readonly text: string }

/** What a list of entries says about one delivery. Pure. */
export function recordOf(entries: readonly Entry[], { uuid }: Pick<Sought, 'uuid'>): DeliveryRecord {
  const at = entries.findIndex((entry) => entry.kind === 'message' && entry.uuid === uuid)
  if (at === -1) return { kind: 'absent' }
  const open = new Map<string, string>()
  const knownTools: string[] = []
  for (const entry of entries.slice(at + 1)) {
    if (entry.kind === 'answer') return { kind: 'answered', answer: entry.text }
    if (entry.kind === 'message') break
    if (entry.kind === 'return') open.delete(entry.id)
    else {
      open.set(entry.id, entry.name)
      knownTools.push(entry.id)
    }
  }
  return { kind: 'unfinished', partial: '', openTools: [...open.values()], knownTools, unreported: [] }
}
