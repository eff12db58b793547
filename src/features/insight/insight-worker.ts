import { parentPort, workerData } from 'node:worker_threads'
import { lowerPriority } from '../../base/lib/low-priority.ts'
import { Recording } from '../../platform/store/recording.ts'
import type { InsightWork } from './insight.ts'
import { findPatterns } from './patterns.ts'
import { reflect } from './reflection.ts'
import { usesIn } from './usual-use.ts'

// Runs in a separate thread, so that nothing here can slow down or lose a message.
lowerPriority()
const work = workerData as InsightWork
using recording = new Recording(work.store, work.period)
parentPort?.postMessage(found())

function found(): unknown {
  if (work.find === 'patterns') return findPatterns(recording, work)
  return work.find === 'use' ? usesIn(recording.times()) : reflect(recording, work.decided)
}
