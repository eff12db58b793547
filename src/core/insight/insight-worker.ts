import { parentPort, workerData } from 'node:worker_threads'
import { Recording } from '../../platform/store/recording.ts'
import type { InsightRequest } from './insight.ts'
import { findPatterns } from './patterns.ts'

// A thread of its own: whatever happens here, no message is slower or lost.
const { store, period, offsetMinutes } = workerData as InsightRequest
using recording = new Recording(store, period)
parentPort?.postMessage(findPatterns(recording, { offsetMinutes }))
