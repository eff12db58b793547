import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import type { FileHandle } from 'node:fs/promises'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, onTestFinished, test } from 'vitest'
import { scratchDirectory } from '../../../test/support/scratch.ts'
import { ConversationFile } from './conversation-file.ts'
import { type OpenFile, openPrivate } from './private-file.ts'
import { readConversation } from './read-conversation.ts'

const head = { sessionId: 's', agentName: 'b', from: 'a', to: 'b', thread: 'main' }

function newFile(open: OpenFile = openPrivate) {
  const scratch = scratchDirectory()
  onTestFinished(() => scratch[Symbol.dispose]())
  const path = join(scratch.path, 'conversation.json')
  const aside: string[] = []
  const onSetAside = (where: string): void => void aside.push(where)
  const file = new ConversationFile({ path, head, createdAt: 0, onSetAside, open })
  const append = (messages: readonly unknown[], at = 1000): Promise<void> =>
    file.append(
      messages.map((message) => JSON.stringify(message)),
      at,
    )
  return {
    path,
    aside,
    append,
    bytes: () => readFileSync(path),
    messages: (): unknown[] => JSON.parse(readFileSync(path, 'utf8')).messages,
  }
}

/** Reads the messages without repairing the file. */
async function readable(path: string): Promise<unknown[]> {
  const messages: unknown[] = []
  for await (const message of (await readConversation(path))?.messages() ?? []) messages.push(message)
  return messages
}

const before = [{ type: 'a', text: 'ä'.repeat(10) }, { type: 'b' }]
/** Half of the first message would be valid JSON if the brace of the old tail closed it. */
const batch = [
  { type: 'n', ...Object.fromEntries('abcdefg'.split('').map((name) => [name, 123456789012345])) },
  { type: 'tail', text: '\n  ],\n  "createdAt": "x",\n  "lastUpdated": "y"\n}\n', nested: { a: [{}] } },
  { type: 'd' },
  { type: 'e', text: 'x"},\n    {' },
]

/** The file after a crash, with `written` bytes of `after` over `old` from `start` on. */
function torn(old: Buffer, after: Buffer, start: number, written: number): Buffer {
  return Buffer.concat([after.subarray(0, start + written), old.subarray(start + written)])
}

function commonLength(a: Buffer, b: Buffer): number {
  let length = 0
  while (length < a.length && a[length] === b[length]) length += 1
  return length
}

describe.each([
  ['later', before],
  ['first', []],
] as const)('a crash at any byte of the %s append', (_which, earlier) => {
  async function states() {
    const world = newFile()
    if (earlier.length > 0) await world.append(earlier)
    const old = earlier.length > 0 ? world.bytes() : Buffer.alloc(0)
    await world.append(batch, 2000)
    const after = world.bytes()
    return { ...world, old, after, start: commonLength(old, after) }
  }

  /** How many messages are complete before byte `end`, so that a crash cannot lose them. */
  const certain = (after: Buffer, end: number): number =>
    batch.filter((message) => {
      const text = `    ${JSON.stringify(message)}`
      return after.indexOf(text) + Buffer.byteLength(text) + 2 <= end
    }).length

  test.each([
    ['the rest as it was', 0],
    ['zeros after it', 300],
  ])('with %s leaves all whole messages, and the file is whole after the next one', async (_what, zeros) => {
    const { path, old, after, start, append, messages, aside } = await states()
    for (let written = 0; written <= after.length - start; written++) {
      const left = Buffer.concat([torn(old, after, start, written), Buffer.alloc(written > 200 ? zeros : 0)])
      writeFileSync(path, left)
      const read = await readable(path)
      await append([{ type: 'next' }], 3000)
      const found = messages()
      const count = found.length - earlier.length - 1
      expect(found, `${written} bytes`).toEqual([...earlier, ...batch.slice(0, count), { type: 'next' }])
      expect(count, `${written} bytes`).toBeGreaterThanOrEqual(certain(after, start + written))
      expect(read, `${written} bytes`).toEqual(found.slice(0, -1))
    }
    expect(aside).toEqual([])
  })
})

test('any messages in any appends, cut at any byte, are whole up to there', async () => {
  const world = newFile()
  const message = fc.record({ type: fc.string({ unit: 'binary' }), value: fc.jsonValue({ maxDepth: 3 }) })
  const appends = fc.array(fc.array(message, { minLength: 1, maxLength: 4 }), { minLength: 1, maxLength: 5 })
  await fc.assert(
    fc.asyncProperty(appends, fc.nat(), async (batches, cut) => {
      const all = JSON.parse(JSON.stringify(batches.flat())) as unknown[]
      writeFileSync(world.path, '')
      for (const one of batches) await world.append(one)
      const whole = world.bytes()
      expect(world.messages()).toEqual(all)
      expect(await readable(world.path)).toEqual(all)
      writeFileSync(world.path, whole.subarray(0, cut % (whole.length + 1)))
      await world.append([{ type: 'next' }])
      const found = world.messages()
      expect(found).toEqual([...all.slice(0, found.length - 1), { type: 'next' }])
      expect(world.aside).toEqual([])
    }),
    { numRuns: 30 },
  )
})

test('the dates are those of the session and of the newest message, also over a repair', async () => {
  const { path, append, bytes } = newFile()
  await append(before)
  writeFileSync(path, bytes().subarray(0, -5))
  await append([{ type: 'next' }], 5000)
  expect(JSON.parse(bytes().toString())).toMatchObject({
    createdAt: '1970-01-01T00:00:00.000Z',
    lastUpdated: '1970-01-01T00:00:05.000Z',
  })
})

test.each([
  ['text', 'hello\n'],
  ['an array', '[\n    {"type":"a"\n    },\n    {"type":"b"\n    }\n]'],
  ['a conversation that somebody has printed otherwise', JSON.stringify({ ...head, messages: before }, null, 4)],
  [
    'a conversation whose only message somebody has printed on several lines, and cut its end',
    JSON.stringify({ ...head, messages: [{ type: 'b' }], createdAt: 'x', lastUpdated: 'y' }, null, 2),
  ],
  ['a conversation on one line', JSON.stringify({ ...head, messages: before })],
  ['zeros', '\0'.repeat(100)],
])('%s is set aside, not overwritten', async (_what, text) => {
  const { path, append, messages, aside } = newFile()
  writeFileSync(path, text)
  expect(await readConversation(path)).toBeUndefined()
  await append([{ type: 'next' }])
  expect(messages()).toEqual([{ type: 'next' }])
  expect(aside).toEqual([path.replace('.json', '.set-aside-1000.json')])
  expect(readFileSync(aside[0]!, 'utf8')).toBe(text)
})

test('a conversation under which somebody has written something is set aside with it', async () => {
  const { path, append, messages, bytes, aside } = newFile()
  await append(before)
  const text = `${bytes().toString()}a note\nand another\n`
  writeFileSync(path, text)
  await append([{ type: 'next' }])
  expect(messages()).toEqual([{ type: 'next' }])
  expect(readFileSync(aside[0]!, 'utf8')).toBe(text)
})

test('a conversation that somebody has printed with the same end is gone on with', async () => {
  const { path, append, messages, bytes } = newFile()
  await append(before)
  writeFileSync(path, `${JSON.stringify(JSON.parse(bytes().toString()), null, 2)}\n`)
  await append([{ type: 'next' }])
  expect(messages()).toEqual([...before, { type: 'next' }])
})

/** A file that counts every write and read, on a disk that is full after some bytes. */
function limitedDisk() {
  const disk = { read: 0, written: 0, left: Number.POSITIVE_INFINITY, isDead: false }
  const open: OpenFile = async (path) => {
    const file = await openPrivate(path)
    const counted = {
      stat: () => file.stat(),
      close: () => file.close(),
      truncate: (length: number) => (disk.isDead ? Promise.reject(new Error('EIO')) : file.truncate(length)),
      read: async (bytes: Buffer, offset: number, length: number, position: number) => {
        const result = await file.read(bytes, offset, length, position)
        disk.read += result.bytesRead
        return result
      },
      write: async (bytes: Buffer, offset: number, length: number, position: number) => {
        if (disk.left === 0 && disk.isDead) throw new Error('EIO')
        if (disk.left === 0) {
          disk.left = Number.POSITIVE_INFINITY
          throw new Error('ENOSPC')
        }
        const result = await file.write(bytes, offset, Math.min(length, disk.left), position)
        disk.left -= result.bytesWritten
        disk.written += result.bytesWritten
        return result
      },
    }
    return counted as unknown as FileHandle
  }
  return { disk, open }
}

test('a disk that is full in the middle of a write leaves the file as it was', async () => {
  const { disk, open } = limitedDisk()
  const { append, bytes, messages } = newFile(open)
  await append(before)
  const whole = bytes()
  for (let left = 1; left < 400; left += 7) {
    disk.left = left
    await expect(append(batch)).rejects.toThrow('ENOSPC')
    expect(bytes().equals(whole)).toBe(true)
  }
  await append(batch)
  expect(messages()).toEqual([...before, ...batch])
})

test('a disk that then refuses everything leaves a file that the next append repairs', async () => {
  const { disk, open } = limitedDisk()
  const { append, messages, aside } = newFile(open)
  await append(before)
  for (let left = 1; left < 400; left += 7) {
    Object.assign(disk, { left, isDead: true })
    await expect(append(batch)).rejects.toThrow('EIO')
    Object.assign(disk, { left: Number.POSITIVE_INFINITY, isDead: false })
    await append([{ type: 'next' }])
    expect(messages().slice(0, 2)).toEqual(before)
    expect(messages().at(-1)).toEqual({ type: 'next' })
  }
  expect(aside).toEqual([])
})

test('an append after 10 000 others reads and writes not a byte more than the second one', async () => {
  const { disk, open } = limitedDisk()
  const { append, messages } = newFile(open)
  const costs = new Set<string>()
  await append([{ type: 'a', number: 10_000 }])
  for (let number = 10_001; number <= 20_000; number++) {
    Object.assign(disk, { read: 0, written: 0 })
    await append([{ type: 'a', number }])
    costs.add(`${disk.read} read, ${disk.written} written`)
  }
  expect([...costs]).toEqual(['160 read, 128 written'])
  expect(messages()).toHaveLength(10_001)
})

test('a torn file of megabytes is repaired from its end', async () => {
  const { disk, open } = limitedDisk()
  const { path, append, bytes, messages } = newFile(open)
  await append(Array.from({ length: 5000 }, (_, number) => ({ type: 'a', number, text: 'x'.repeat(1000) })))
  writeFileSync(path, bytes().subarray(0, -300))
  disk.read = 0
  await append([{ type: 'next' }])
  expect(messages()).toHaveLength(5000)
  expect(disk.read).toBeLessThan(300_000)
})

test('a last message longer than any window is cut off, and those before it stay', async () => {
  const { path, append, bytes, messages } = newFile()
  await append(before)
  await append([{ type: 'long', text: 'x'.repeat(3_000_000) }])
  writeFileSync(path, bytes().subarray(0, -200_000))
  await append([{ type: 'next' }])
  expect(messages()).toEqual([...before, { type: 'next' }])
  expect(readdirSync(join(path, '..'))).toEqual(['conversation.json'])
})
