import { parentPort, workerData } from 'node:worker_threads'
import { isDamage } from '../../platform/store/store-trouble.ts'
import { removeIndex } from './index-file.ts'
import type { SearchAnswer, SearchFiles, SearchRequest } from './search.ts'
import { SearchIndex } from './search-index.ts'
import type { SearchQuery } from './search-result.ts'

// A separate thread: indexing texts costs more than storing them, and a prefix of one letter may match very many words.
const files = workerData as SearchFiles
const searchIndex = new SearchIndex(files.store, files.index)
let isTakingIn = false
let last = 0

function takeIn(): void {
  isTakingIn = whole(() => searchIndex.takeIn())
  // Between two batches, the thread answers queries that have arrived.
  if (isTakingIn) setImmediate(takeIn)
  else tell({ id: last })
}

/** Damage to the index ends the thread; the next thread rebuilds the index. */
function whole<T>(work: () => T): T {
  try {
    return work()
  } catch (error) {
    if (isDamage(error)) removeIndex(files.index)
    throw error
  }
}

function answer(id: number, query: SearchQuery): SearchAnswer {
  if (!isTakingIn) takeIn()
  return { id, found: { ...whole(() => searchIndex.find(query)), isIndexing: isTakingIn } }
}

function tell(said: SearchAnswer): void {
  parentPort?.postMessage(said)
}

parentPort?.on('message', ({ id, query }: SearchRequest) => {
  last = id
  if (query !== undefined) tell(answer(id, query))
  else if (!isTakingIn) takeIn()
})
