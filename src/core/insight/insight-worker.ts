import { parentPort, workerData } from 'node:worker_threads'
import { Recording } from '../../platform/store/recording.ts'
import type { InsightWork } from './insight.ts'
import { findPatterns } from './patterns.ts'
import { reflect } from './reflection.ts'

// A thread of its own: whatever happens here, no message is slower or lost.
const work = workerData as InsightWork
using recording = new Recording(work.store, work.period)
parentPort?.postMessage(work.find === 'patterns' ? findPatterns(recording, work) : reflect(recording, work.decided))
