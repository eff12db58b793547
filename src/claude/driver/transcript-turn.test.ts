import { statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { scratchDirectory } from '../../../test/support/scratch.ts'
import type { Line } from '../../base/agent/line.ts'
import { ownFile } from '../../base/lib/byte-source.ts'
import { placeOfTime } from './transcript-time.ts'
import { linesOfTurn, type TurnSpan } from './transcript-turn.ts'

const began = Date.parse('2025-09-11T22:00:00Z')
const minute = 60_000

const at = (ms: number) => ({ timestamp: new Date(began + ms).toISOString() })
const asked = (uuid: string, ms: number) => ({
  ...at(ms),
  type: 'user',
  uuid,
  message: { content: '<iris-message from="a">' },
})
const said = (text: string, ms: number) => ({
  ...at(ms),
  type: 'assistant',
  uuid: text,
  message: { content: [{ type: 'text', text }] },
})
const came = (text: string, ms: number) => ({
  ...at(ms),
  type: 'user',
  uuid: text,
  message: { content: [{ type: 'tool_result', tool_use_id: 'x', content: text }] },
})

function transcript(lines: readonly object[]): string {
  const directory = scratchDirectory()
  onTestFinished(() => directory[Symbol.dispose]())
  const path = join(directory.path, 'transcript.jsonl')
  writeFileSync(path, `${lines.map((line) => JSON.stringify(line)).join('\n')}\n`)
  return path
}

async function uuids(path: string, span: Partial<TurnSpan> & Pick<TurnSpan, 'deliveries'>): Promise<unknown[]> {
  const lines: Line[] = []
  for await (const line of linesOfTurn(await ownFile(path), { from: began, until: undefined, ...span }))
    lines.push(line)
  return lines.map(({ uuid }) => uuid)
}

test('a turn is what was said from its message to the next one, whoever said that', async () => {
  const path = transcript([
    asked('one', 0),
    said('first', 10),
    asked('two', minute),
    came('tool', minute + 10),
    { ...said('aside', minute + 15), isSidechain: true },
    { type: 'file-history-snapshot' },
    said('second', minute + 20),
    asked('three', 2 * minute),
    said('third', 2 * minute + 10),
  ])
  expect(await uuids(path, { deliveries: ['one'] })).toEqual(['one', 'first'])
  expect(await uuids(path, { deliveries: ['two'], from: began + minute })).toEqual(['two', 'tool', undefined, 'second'])
  expect(await uuids(path, { deliveries: ['three'], from: began + 2 * minute })).toEqual(['three', 'third'])
  expect(await uuids(path, { deliveries: ['four'] })).toEqual([])
})

test('a turn that was taken up again is told in its parts, without what was said between them', async () => {
  const path = transcript([
    asked('one', 0),
    said('half', 10),
    asked('of the CLI', minute),
    said('unsolicited', minute + 10),
    asked('one again', 2 * minute),
    said('whole', 2 * minute + 10),
    asked('two', 3 * minute),
  ])
  const span = { deliveries: ['one', 'one again'], until: began + 2 * minute + 10 }
  expect(await uuids(path, span)).toEqual(['one', 'half', 'one again', 'whole'])
})

test('a turn is found although the clock was set meanwhile', async () => {
  const path = transcript([asked('one', 0), said('first', 10), asked('two', minute), said('second', minute + 20)])
  const span = { deliveries: ['one'], from: began + 3_600_000, until: began + 3_700_000 }
  const big = transcript([
    asked('one', 0),
    came('x'.repeat(200_000), 5),
    asked('two', minute),
    said('second', minute + 20),
  ])
  expect(await uuids(path, span)).toEqual(['one', 'first'])
  expect(await uuids(big, span)).toHaveLength(2)
})

test('a moment is found near its place, in lines of any length, with and without a time', async () => {
  const lines = Array.from({ length: 400 }, (_, index) => [
    asked(`${index}`, index * minute),
    { type: 'summary', text: 'y'.repeat(index * 7) },
    came('x'.repeat((index * 2017) % 9000), index * minute + 1),
  ]).flat()
  const path = transcript(lines)
  const { size } = statSync(path)
  const missedBy: number[] = []
  let offset = 0
  for (const [index, line] of lines.entries()) {
    if (index % 150 === 0)
      missedBy.push(offset - (await placeOfTime(await ownFile(path), began + (index / 3) * minute)))
    offset += Buffer.byteLength(JSON.stringify(line)) + 1
  }
  expect(Math.min(...missedBy)).toBeGreaterThanOrEqual(0)
  expect(Math.max(...missedBy)).toBeLessThan(100_000)
  expect(size).toBeGreaterThan(2_000_000)
})
