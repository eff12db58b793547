import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { scratchDirectory } from '../../../test/support/scratch.ts'
import { LocalTree } from '../../platform/machine/local-tree.ts'
import { sessionDirectories, transcriptFiles } from './directory-walk.ts'

function scratch(): string {
  const directory = scratchDirectory()
  onTestFinished(() => directory[Symbol.dispose]())
  return directory.path
}

async function all<T>(batches: AsyncIterable<readonly T[]>): Promise<T[]> {
  const found: T[] = []
  for await (const batch of batches) found.push(...batch)
  return found
}

test('transcripts of all projects are found, and nothing else', async () => {
  const root = scratch()
  const id = crypto.randomUUID()
  for (const slug of ['-a-b', '-c']) mkdirSync(join(root, slug))
  for (const name of [`-a-b/${id}.jsonl`, '-c/notes.jsonl', `-c/${crypto.randomUUID()}.txt`, 'loose']) {
    writeFileSync(join(root, name), '{}\n')
  }
  expect(await all(transcriptFiles(new LocalTree(root), [], new AbortController().signal))).toEqual([
    { sessionId: id, names: ['-a-b', `${id}.jsonl`] },
  ])
})

test('where there is no directory, nothing is found', async () => {
  expect(await all(sessionDirectories(join(scratch(), 'none'), new AbortController().signal))).toEqual([])
})

test('a walk that is given up ends after the batch it is at', async () => {
  const root = scratch()
  for (let count = 0; count < 200; count++) mkdirSync(join(root, crypto.randomUUID()))
  const leaving = new AbortController()
  let seen = 0
  const walk = async (): Promise<void> => {
    for await (const batch of sessionDirectories(root, leaving.signal)) {
      seen += batch.length
      leaving.abort(new Error('given up'))
    }
  }
  await expect(walk()).rejects.toThrow('aborted')
  expect(seen).toBe(50)
})
