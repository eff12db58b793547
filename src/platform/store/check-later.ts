import { Worker } from 'node:worker_threads'
import { isCheckedLater } from './damage.ts'
import type { Store } from './store.ts'

const program = new URL(import.meta.url.endsWith('.ts') ? 'check-worker.ts' : 'check-worker.js', import.meta.url)

/**
 * Checks a store in a worker thread if it was too large to be checked before it was opened. If damage is found, the
 * store refuses every statement, and the next start rebuilds it. Returns a function that cancels the check.
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
  // A check that could not run does not prove damage.
  worker.once('error', () => {})
  return () => void worker.terminate()
}
