import { parentPort, workerData } from 'node:worker_threads'
import { lowerPriority } from '../../base/lib/low-priority.ts'
import { failedCheck } from './damage.ts'

// Runs in a worker thread, because the check of a large store takes seconds. Posts what is wrong, or undefined if
// nothing is.
lowerPriority()
parentPort?.postMessage(failedCheck(workerData as string))
