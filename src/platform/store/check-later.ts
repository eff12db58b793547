import { Worker } from 'node:worker_threads'
import { isCheckedLater } from './damage.ts'
import type { Store } from './store.ts'

const program = new URL(import.meta.url.endsWith('.ts') ? 'check-worker.ts' : 'check-worker.js', import.meta.url)

/**
 * Checks a store that was too large to be checked before it was opened, in a thread of its own. Damage is met as if a
 * statement had met it: the store refuses everything from then on, and the next start makes it anew. Returns what gives
 * the check up.
 */
export function checkLater(store: Store, onDamage: (why: string) => void): () => void {
  if (!isCheckedLater(store.path)) return () => {}
  const worker = new Worker(program, { workerData: store.path })
  worker.unref()
  worker.once('message', (damage: string | undefined) => {
    if (damage === undefined) return
    store.meet(damage)
    onDamage(damage)
  })
  // Not checked is not damaged.
  worker.once('error', () => {})
  return () => void worker.terminate()
}
