import { parentPort, workerData } from 'node:worker_threads'
import { failedCheck } from './damage.ts'

// A thread of its own: checking a large store takes seconds. Says what is wrong with it, if anything.
parentPort?.postMessage(failedCheck(workerData as string))
