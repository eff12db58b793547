import { DatabaseSync } from 'node:sqlite'
import { parentPort, workerData } from 'node:worker_threads'
import { lowerPriority } from '../../base/lib/low-priority.ts'
import { type SumWork, sum } from './sums.ts'

// Runs in a separate thread: a sum over a million turns takes seconds, and no message may wait for it.
lowerPriority()
const { store, name, request } = workerData as SumWork
using database = new DatabaseSync(store, { readOnly: true })
parentPort?.postMessage(sum(database, name, request as never))
