import type { Dirent } from 'node:fs'
import { opendir } from 'node:fs/promises'
import { join } from 'node:path'
import { setImmediate as pause } from 'node:timers/promises'

/** What a walk has come across: `<session id>` or `<session id>.jsonl`. */
export interface Found {
  readonly sessionId: string
  readonly path: string
}

const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/** Small enough for nobody to notice how long one takes. */
const batchSize = 50

/** `<directory>/<session id>`, in batches; the directory is streamed, and others get their turn after each batch. */
export async function* sessionDirectories(directory: string, signal: AbortSignal): AsyncGenerator<Found[]> {
  yield* inBatches(named(directory, ''), signal)
}

/** `<directory>/<any>/<session id>.jsonl`, as the CLI and Iris lay transcripts out. */
export async function* transcriptFiles(directory: string, signal: AbortSignal): AsyncGenerator<Found[]> {
  yield* inBatches(transcriptsIn(directory), signal)
}

async function* transcriptsIn(directory: string): AsyncGenerator<Found> {
  for await (const { name } of entries(directory)) yield* named(join(directory, name), '.jsonl')
}

async function* named(directory: string, ending: string): AsyncGenerator<Found> {
  for await (const { name } of entries(directory)) {
    const sessionId = name.slice(0, name.length - ending.length)
    if (name.endsWith(ending) && uuid.test(sessionId)) yield { sessionId, path: join(directory, name) }
  }
}

/** Nothing where there is no directory, or none that can be read. */
async function* entries(directory: string): AsyncGenerator<Dirent> {
  const opened = await opendir(directory).catch(() => undefined)
  if (opened !== undefined) yield* opened
}

async function* inBatches(all: AsyncIterable<Found>, signal: AbortSignal): AsyncGenerator<Found[]> {
  let batch: Found[] = []
  for await (const found of all) {
    if (batch.push(found) < batchSize) continue
    yield batch
    batch = []
    await pause(undefined, { signal })
  }
  if (batch.length > 0) yield batch
}
