import type { Dirent } from 'node:fs'
import { opendir } from 'node:fs/promises'
import { join } from 'node:path'
import { setImmediate as pause } from 'node:timers/promises'
import type { FileTree } from '../../platform/machine/machine.ts'

/** An entry that a walk found: `<session id>` or `<session id>.jsonl`. */
interface Found {
  readonly sessionId: string
}

/** A directory in Iris's own files. */
export interface FoundDirectory extends Found {
  readonly path: string
}

/** A file below a tree. */
export interface FoundTranscript extends Found {
  readonly names: readonly string[]
}

const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/** Small enough that no batch blocks the daemon noticeably. */
const batchSize = 50

/**
 * Finds `<directory>/<session id>`, in batches. Streams the directory, and lets the event loop run after each batch.
 */
export async function* sessionDirectories(directory: string, signal: AbortSignal): AsyncGenerator<FoundDirectory[]> {
  yield* inBatches(directoriesIn(directory), signal)
}

/** Finds `<names>/<any>/<session id>.jsonl`, which is the layout of the CLI's and of Iris's transcripts. */
export async function* transcriptFiles(
  tree: FileTree,
  names: readonly string[],
  signal: AbortSignal,
): AsyncGenerator<FoundTranscript[]> {
  yield* inBatches(transcriptsIn(tree, names), signal)
}

async function* transcriptsIn(tree: FileTree, names: readonly string[]): AsyncGenerator<FoundTranscript> {
  for await (const slug of readable(tree.list(names))) {
    for await (const name of readable(tree.list([...names, slug]))) {
      const sessionId = name.slice(0, -ending.length)
      if (name.endsWith(ending) && uuid.test(sessionId)) yield { sessionId, names: [...names, slug, name] }
    }
  }
}

async function* directoriesIn(directory: string): AsyncGenerator<FoundDirectory> {
  for await (const { name } of entries(directory)) {
    if (uuid.test(name)) yield { sessionId: name, path: join(directory, name) }
  }
}

const ending = '.jsonl'

/** Ends without an error if the directory does not exist or cannot be read. */
async function* readable(names: AsyncIterable<string>): AsyncGenerator<string> {
  try {
    yield* names
  } catch {}
}

/** Yields nothing if the directory does not exist or cannot be read. */
async function* entries(directory: string): AsyncGenerator<Dirent> {
  const opened = await opendir(directory).catch(() => undefined)
  if (opened !== undefined) yield* opened
}

async function* inBatches<T>(all: AsyncIterable<T>, signal: AbortSignal): AsyncGenerator<T[]> {
  let batch: T[] = []
  for await (const found of all) {
    if (batch.push(found) < batchSize) continue
    yield batch
    batch = []
    await pause(undefined, { signal })
  }
  if (batch.length > 0) yield batch
}
