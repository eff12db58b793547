import { statSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { join } from 'node:path'
import { systemClock } from '../src/base/lib/clock.ts'
import { findEnd } from '../src/claude/transcript/conversation-end.ts'
import { ConversationFile } from '../src/claude/transcript/conversation-file.ts'
import { TranscriptFiles } from '../src/claude/transcript/transcript-files.ts'
import { scratchDirectory } from '../test/support/scratch.ts'
import { alternate, ratio, type Sample, summarize, timed } from './measure.ts'
import type { Row } from './row.ts'

const total = 100_000
const sessionId = 'a7038563-fdba-49e4-bf96-f80bba9e8472'
const head = { sessionId, agentName: 'backend', from: 'frontend', to: 'backend', thread: 'main' }
const us = (ms: number): string => `${(ms * 1000).toFixed(ms < 0.01 ? 1 : 0)} µs`

function message(number: number) {
  return { type: 'assistant', uuid: sessionId, message: { content: [{ type: 'text', text: `${number} `.repeat(50) }] } }
}

/** T: what a message in `conversation.json` costs when there are few before it, and when there are 100 000. */
export async function transcriptFiles(): Promise<readonly Row[]> {
  using scratch = scratchDirectory()
  const long = new Growing(join(scratch.path, 'long.json'))
  const short = new Growing(join(scratch.path, 'short.json'))
  while (long.messages < total) await long.append(500)
  await alternate(
    200,
    () => long.append(1),
    () => short.append(1),
  )
  const { a, b } = await alternate(
    1000,
    () => long.append(1),
    () => short.append(1),
  )
  const found = await openingTime(long.path)
  const size = `${(statSync(long.path).size / 2 ** 20).toFixed(0)} MiB`
  return [
    row(
      `a message in conversation.json after ${total} others, against after 200`,
      `${ratio(a.p50 / b.p50)}  (${us(a.p50)} against ${us(b.p50)}, n=${a.n})`,
      '≤ 1.2×',
      { long: a, short: b },
    ),
    row(`finding the end of ${total} messages, ${size}`, us(found.p50), 'reported', found),
    await onThePath(join(scratch.path, 'output_streams')),
  ]
}

/** A conversation.json to which messages are appended. */
class Growing {
  readonly path: string
  readonly #file: ConversationFile
  messages = 0

  constructor(path: string) {
    this.path = path
    this.#file = new ConversationFile({ path, head, createdAt: 0, onSetAside: () => {} })
  }

  append(count: number): Promise<void> {
    const texts = Array.from({ length: count }, () => JSON.stringify(message(this.messages++)))
    return this.#file.append(texts, Date.now())
  }
}

async function openingTime(path: string): Promise<Sample> {
  const times: number[] = []
  for (let round = 0; round < 200; round++) {
    times.push(
      await timed(async () => {
        await using file = await open(path)
        await findEnd(file, (await file.stat()).size)
      }),
    )
  }
  return summarize(times)
}

/** What a turn of 20 lines waits for its transcript, and what the writing takes with everything. */
async function onThePath(directory: string): Promise<Row> {
  const files = new TranscriptFiles({ directory, clock: systemClock, onTrouble: () => {} })
  const session = { ...head, createdAt: 0 }
  const turns = 1000
  const waits: number[] = []
  const cpu = process.cpuUsage()
  for (let number = 0; number < turns; number++) {
    const lines = Array.from({ length: 20 }, (_, index) => message(index))
    const began = performance.now()
    const turn = files.begin(session, { prompt: 'hello', resumed: number > 0 })
    for (const line of lines) turn.line(line)
    turn.end({ outcome: 'completed', reason: null, detail: null, durationMs: 1, usage: null })
    waits.push(performance.now() - began)
    if (number % 10 === 0) await new Promise((resolve) => setImmediate(resolve))
  }
  await files.close()
  const { user, system } = process.cpuUsage(cpu)
  const data = { turn: summarize(waits), cpuMs: (user + system) / 1000 / turns }
  return row(
    'a turn of 20 lines: on its path, and with the writing later',
    `${us(data.turn.p50)}, ${us(data.cpuMs)} of processor time`,
    'reported',
    data,
  )
}

function row(what: string, measured: string, aim: string, data: unknown): Row {
  return { id: 'T', what, measured, aim, data }
}
