import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import type { Line } from '../../src/base/agent/line.ts'
import type { TranscriptEnd } from '../../src/claude/transcript/log-record.ts'
import {
  TranscriptFiles,
  type TranscriptSession,
  type TranscriptTrouble,
} from '../../src/claude/transcript/transcript-files.ts'
import { FakeClock } from './fake-clock.ts'
import { scratchDirectory } from './scratch.ts'

export const sessionId = 'a7038563-fdba-49e4-bf96-f80bba9e8472'
const createdAt = Date.parse('2025-09-11T22:05:28.591Z')
export const session: TranscriptSession = {
  sessionId,
  agentName: 'backend-agent',
  from: 'frontend',
  to: 'backend',
  thread: 'main',
  createdAt,
}
export const success: TranscriptEnd = {
  outcome: 'completed',
  reason: null,
  detail: null,
  durationMs: null,
  usage: null,
}
export const init: Line = { type: 'system', subtype: 'init', session_id: sessionId, uuid: 'u-1', tools: ['Read'] }

export function said(text: string): Line {
  return { type: 'assistant', message: { role: 'assistant', content: [{ type: 'text', text }] } }
}

/** Undefined while the file is being made. */
export function messagesSoFar(path: string): number | undefined {
  try {
    return JSON.parse(readFileSync(path, 'utf8')).messages.length
  } catch {
    return undefined
  }
}

/** Transcripts in a directory of this test's own, at the time of the seed's example. */
export async function newFiles(more: { maxWaitingBytes?: number } = {}) {
  const scratch = scratchDirectory()
  onTestFinished(() => scratch[Symbol.dispose]())
  const directory = join(scratch.path, 'output_streams')
  const clock = new FakeClock()
  await clock.advance(createdAt)
  const troubles: TranscriptTrouble[] = []
  const open = () => new TranscriptFiles({ directory, clock, onTrouble: (trouble) => troubles.push(trouble), ...more })
  const at = (name: string): string => join(directory, sessionId, name)
  return {
    directory,
    clock,
    troubles,
    open,
    files: open(),
    at,
    log: () => readFileSync(at('stream.log'), 'utf8'),
    conversation: () => JSON.parse(readFileSync(at('conversation.json'), 'utf8')),
    until: (time: string) => clock.advance(Date.parse(`2025-09-11T22:05:${time}Z`) - clock.now()),
  }
}
