import { execFileSync } from 'node:child_process'
import { createReadStream, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { lastValueFrom, toArray } from 'rxjs'
import { describe, expect, onTestFinished, test } from 'vitest'
import { eventually } from '../../../test/support/eventually.ts'
import { scratchDirectory } from '../../../test/support/scratch.ts'
import type { Line } from '../../base/agent/line.ts'
import { MessageLog } from './message-log.ts'

/** A log and the file to which it may spill, in the test's own directory. */
function newLog(maxBytes: number) {
  const directory = scratchDirectory()
  onTestFinished(() => directory[Symbol.dispose]())
  const file = join(directory.path, 'turns', 'turn.ndjson')
  return { file, log: new MessageLog(file, maxBytes) }
}

const line = (number: number): Line => ({ type: 'x', number, text: 'ä\u2028'.repeat(5) })
const lines = (count: number, from = 0): Line[] => Array.from({ length: count }, (_, index) => line(from + index))
const bytesOfLine = JSON.stringify(line(100)).length

/** All lines that a subscriber who subscribes now receives until the end. */
function heardBy(log: MessageLog): Promise<Line[]> {
  return lastValueFrom(log.messages$.pipe(toArray()))
}

test('whoever subscribes late hears everything, then what comes, then the end; no file is made for little', async () => {
  const { file, log } = newLog(100_000)
  const early = heardBy(log)
  for (const added of lines(3)) log.add(added)
  const late = heardBy(log)
  log.add(line(3))
  log.close()
  for (const heard of [early, late, heardBy(log)]) expect(await heard).toEqual(lines(4))
  expect(existsSync(file)).toBe(false)
})

describe('a log that has outgrown its memory', () => {
  test('keeps the newest in memory and the rest in a file that only its owner reads', async () => {
    const { file, log } = newLog(10 * bytesOfLine)
    for (const added of lines(200)) log.add(added)
    expect(await log.soFar()).toEqual(lines(200))
    const onDisk = readFileSync(file, 'utf8').trimEnd().split('\n')
    expect(onDisk.map((text) => JSON.parse(text))).toEqual(lines(onDisk.length))
    expect(onDisk.length).toBeGreaterThan(180)
  })

  test('tells everybody everything once and in order, whenever they come', async () => {
    const { log } = newLog(4 * bytesOfLine)
    const heard: Promise<Line[]>[] = []
    for (const added of lines(60)) {
      heard.push(heardBy(log))
      log.add(added)
      // Yields from time to time, so that the file is read while more is written.
      if (heard.length % 7 === 0) await new Promise((resolve) => setImmediate(resolve))
    }
    log.close()
    heard.push(heardBy(log))
    for (const one of heard) expect(await one).toEqual(lines(60))
  })

  test('does not wait for one who has left', async () => {
    const { log } = newLog(4 * bytesOfLine)
    for (const added of lines(20)) log.add(added)
    const heard: Line[] = []
    log.messages$.subscribe((added) => heard.push(added)).unsubscribe()
    expect(await log.soFar()).toHaveLength(20)
    log.close()
    expect(await heardBy(log)).toEqual(lines(20))
    expect(heard).toEqual([])
  })

  test('keeps a line that is larger than all of the memory', async () => {
    const { log } = newLog(50)
    for (const added of lines(3)) log.add(added)
    expect(await log.soFar()).toEqual(lines(3))
  })

  test('leaves no file when nobody will ask again', async () => {
    const { file, log } = newLog(4 * bytesOfLine)
    for (const added of lines(20)) log.add(added)
    log.close()
    await eventually(() => existsSync(file), 'the file is there')
    log.discard()
    expect(existsSync(file)).toBe(false)
  })

  test('says when the disk does not keep up, and when it does again', async () => {
    const { file, log } = newLog(50_000)
    mkdirSync(join(file, '..'), { recursive: true })
    // A named pipe accepts nothing until someone reads it.
    execFileSync('mkfifo', [file])
    expect(log.drained()).toBeUndefined()
    for (const added of lines(2000)) log.add(added)
    const drained = log.drained()
    expect(drained).toBeInstanceOf(Promise)
    createReadStream(file).resume()
    await drained
    expect(log.drained()).toBeUndefined()
    log.close()
  })
})

describe('where the disk fails', () => {
  const lost = { type: 'iris_lost_lines' }

  test('to take the older lines, the gap is marked and the newest are there', async () => {
    const { file, log } = newLog(4 * bytesOfLine)
    // There is a file where the directory should be.
    writeFileSync(join(file, '..'), '')
    for (const added of lines(20)) log.add(added)
    const heard = await log.soFar()
    expect(heard[0]).toEqual(lost)
    expect(heard.slice(1)).toEqual(lines(20).slice(1 - heard.length))
    expect(heard.length).toBeGreaterThan(2)
    log.close()
    expect((await heardBy(log))[0]).toEqual(lost)
  })

  test('only when it is written to, likewise', async () => {
    const { file, log } = newLog(4 * bytesOfLine)
    mkdirSync(file, { recursive: true })
    for (const added of lines(20)) log.add(added)
    expect((await log.soFar())[0]).toEqual(lost)
    await log.drained()
    log.add(line(20))
    log.close()
    expect((await heardBy(log)).at(-1)).toEqual(line(20))
  })

  test('to give them back, likewise', async () => {
    const { file, log } = newLog(4 * bytesOfLine)
    for (const added of lines(20)) log.add(added)
    await log.soFar()
    rmSync(file)
    expect((await log.soFar())[0]).toEqual(lost)
  })
})

test('a last line that alone is longer than the limit goes to the file at the end, and is heard from there', async () => {
  const { log } = newLog(1000)
  const long: Line = { type: 'result', text: 'x'.repeat(5000) }
  for (const added of [...lines(2), long]) log.add(added)
  const early = heardBy(log)
  expect(log.keptBytes).toBeGreaterThan(5000)
  log.close()
  expect(log.keptBytes).toBe(0)
  for (const heard of [early, heardBy(log)]) expect(await heard).toEqual([...lines(2), long])
  expect(await log.soFar()).toEqual([...lines(2), long])
})
