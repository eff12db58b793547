import { appendFileSync, existsSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { cp, mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { scratchDirectory } from '../../test/support/scratch.ts'
import { systemClock } from '../lib/clock.ts'
import { KeptTranscripts } from './kept-transcripts.ts'

const id = 'a7038563-fdba-49e4-bf96-f80bba9e8472'
let configDirectory: string
let path: string
let keptPath: string
let kept: KeptTranscripts

beforeEach(async () => {
  const scratch = scratchDirectory()
  onTestFinished(() => scratch[Symbol.dispose]())
  configDirectory = join(scratch.path, '.claude')
  path = join(configDirectory, 'projects', '-a-b', `${id}.jsonl`)
  keptPath = join(scratch.path, 'transcripts', '-a-b', `${id}.jsonl`)
  await mkdir(join(configDirectory, 'projects', '-a-b'), { recursive: true })
  writeFileSync(path, 'one\n')
  kept = new KeptTranscripts(join(scratch.path, 'transcripts'), systemClock)
})

test('a kept transcript is a second name of the same file, and grows with it', async () => {
  expect(await kept.keep(path)).toBe('kept')
  appendFileSync(path, 'two\n')
  expect(readFileSync(keptPath, 'utf8')).toBe('one\ntwo\n')
  expect(statSync(keptPath).ino).toBe(statSync(path).ino)
})

test('a deleted one is put back where it was, also when Claude Code has deleted its directory', async () => {
  await kept.keep(path)
  rmSync(join(configDirectory, 'projects'), { recursive: true })
  expect(await kept.find(configDirectory, id)).toBe(path)
  expect(readFileSync(path, 'utf8')).toBe('one\n')
})

test('one that was emptied is put back as well', async () => {
  await kept.keep(path)
  rmSync(path)
  writeFileSync(path, '')
  expect(await kept.find(configDirectory, id)).toBe(path)
  expect(readFileSync(path, 'utf8')).toBe('one\n')
})

test('a transcript that was never kept is not found again', async () => {
  rmSync(path)
  expect(await kept.keep(path)).toBe('absent')
  expect(await kept.find(configDirectory, id)).toBeUndefined()
})

test('a forgotten one is not put back, and not kept again', async () => {
  await kept.keep(path)
  await kept.forget(id)
  await kept.keep(path)
  expect(existsSync(keptPath)).toBe(false)
  rmSync(path)
  expect(await kept.find(configDirectory, id)).toBeUndefined()
})

test('a forgotten one whose conversation goes on all the same is kept again', async () => {
  await kept.keep(path)
  await kept.forget(id)
  expect(await kept.findWhole(configDirectory, id)).toBe(path)
  await kept.keep(path)
  expect(existsSync(keptPath)).toBe(true)
})

describe('where there is a copy instead of a link', () => {
  beforeEach(async () => {
    await kept.keep(path)
    await cp(keptPath, `${keptPath}.copy`)
    renameSync(`${keptPath}.copy`, keptPath)
  })

  test('what is new is appended to it', async () => {
    expect(statSync(keptPath).ino).not.toBe(statSync(path).ino)
    appendFileSync(path, 'two\n')
    await kept.keep(path)
    expect(readFileSync(keptPath, 'utf8')).toBe('one\ntwo\n')
  })

  // Deleted under a living process, the CLI begins a file that holds only what comes from then on.
  test.each(['x\n', 'another beginning\n'])(
    'a file that does not go on from it leaves it as it is: %j',
    async (text) => {
      writeFileSync(path, text)
      await kept.keep(path)
      expect(readFileSync(keptPath, 'utf8')).toBe('one\n')
    },
  )
})
