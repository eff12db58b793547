import { execFileSync } from 'node:child_process'
import {
  appendFileSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { cp, mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { swapping } from '../../../test/support/attackers.ts'
import { scratchDirectory } from '../../../test/support/scratch.ts'
import { systemClock } from '../../base/lib/clock.ts'
import { LocalTree } from '../../platform/machine/local-tree.ts'
import { KeptTranscripts } from './kept-transcripts.ts'
import { findTranscript } from './transcript.ts'

const id = 'a7038563-fdba-49e4-bf96-f80bba9e8472'
let configDirectory: string
let path: string
let keptPath: string
let kept: KeptTranscripts
let tree: LocalTree
let refused: string[]

const keep = () => kept.keepOf(tree, id)
const found = async () => (await kept.find(tree, id))?.path

beforeEach(async () => {
  const scratch = scratchDirectory()
  onTestFinished(() => scratch[Symbol.dispose]())
  configDirectory = join(scratch.path, '.claude')
  path = join(configDirectory, 'projects', '-a-b', `${id}.jsonl`)
  keptPath = join(scratch.path, 'transcripts', '-a-b', `${id}.jsonl`)
  await mkdir(join(configDirectory, 'projects', '-a-b'), { recursive: true })
  writeFileSync(path, 'one\n')
  tree = new LocalTree(configDirectory)
  refused = []
  const onRefusal = (sessionId: string, problem: string) => refused.push(`${sessionId}: ${problem}`)
  kept = new KeptTranscripts(new LocalTree(join(scratch.path, 'transcripts')), systemClock, onRefusal)
})

test('a kept transcript is a second name of the same file, and grows with it', async () => {
  expect(await keep()).toBe('kept')
  appendFileSync(path, 'two\n')
  expect(readFileSync(keptPath, 'utf8')).toBe('one\ntwo\n')
  expect(statSync(keptPath).ino).toBe(statSync(path).ino)
})

test('a deleted one is put back where it was, also when Claude Code has deleted its directory', async () => {
  await keep()
  rmSync(join(configDirectory, 'projects'), { recursive: true })
  expect(await found()).toBe(path)
  expect(readFileSync(path, 'utf8')).toBe('one\n')
})

test('one that was emptied is put back as well', async () => {
  await keep()
  rmSync(path)
  writeFileSync(path, '')
  expect(await found()).toBe(path)
  expect(readFileSync(path, 'utf8')).toBe('one\n')
})

test('a conversation continues when the place of the kept transcripts is not a directory, and the log says why', async () => {
  writeFileSync(join(configDirectory, '../transcripts'), '')
  expect((await kept.findWhole(tree, id))?.path).toBe(path)
  expect(await keep()).toBe('refused')
  expect(refused).toEqual(Array(2).fill(`${id}: the system says ENOTDIR`))
})

test('a transcript that was never kept is not found again', async () => {
  rmSync(path)
  expect(await keep()).toBe('absent')
  expect(await found()).toBeUndefined()
})

test('a forgotten one is not put back, and not kept again', async () => {
  await keep()
  await kept.forget(id)
  await keep()
  expect(existsSync(keptPath)).toBe(false)
  rmSync(path)
  expect(await found()).toBeUndefined()
})

test('a forgotten one whose conversation goes on all the same is kept again', async () => {
  await keep()
  await kept.forget(id)
  expect((await kept.findWhole(tree, id))?.path).toBe(path)
  await keep()
  expect(existsSync(keptPath)).toBe(true)
})

describe('where there is a copy instead of a link', () => {
  beforeEach(async () => {
    await keep()
    await cp(keptPath, `${keptPath}.copy`)
    renameSync(`${keptPath}.copy`, keptPath)
  })

  test('what is new is appended to it', async () => {
    expect(statSync(keptPath).ino).not.toBe(statSync(path).ino)
    appendFileSync(path, 'two\n')
    expect([await keep(), refused]).toEqual(['kept', []])
    expect(readFileSync(keptPath, 'utf8')).toBe('one\ntwo\n')
  })

  // If a transcript is deleted under a running process, the CLI begins a new file with only the later lines.
  test.each(['x\n', 'another beginning\n'])(
    'a file that does not go on from it leaves it as it is: %j',
    async (text) => {
      writeFileSync(path, text)
      await keep()
      expect(readFileSync(keptPath, 'utf8')).toBe('one\n')
    },
  )
})

/** In every isolation, an agent can write where Claude Code keeps its files, because Claude Code itself must. */
describe('an agent that lays something else in the place of its transcript', () => {
  const secret = 'the person’s own\n'
  let outside: string
  let own: string
  let claudeSlug: string
  beforeEach(() => {
    outside = join(configDirectory, '..', 'bashrc')
    own = join(configDirectory, '..', 'transcripts')
    claudeSlug = join(configDirectory, 'projects', '-a-b')
    writeFileSync(outside, secret)
  })
  const untouched = (): void => {
    expect(readFileSync(outside, 'utf8')).toBe(secret)
    expect(statSync(outside).nlink).toBe(1)
  }

  test('a link, and later a file again, has nothing appended to where the link led', async () => {
    rmSync(path)
    symlinkSync(outside, path)
    expect(await keep()).toBe('absent')
    expect(refused).toEqual([expect.stringContaining('is a link')])
    rmSync(path)
    writeFileSync(path, `${secret}evil\n`)
    await keep()
    untouched()
    expect(lstatSync(keptPath).isFile()).toBe(true)
  })

  test('a link in the place of the kept one, from before, is not written through either', async () => {
    mkdirSync(join(own, '-a-b'), { recursive: true })
    symlinkSync(outside, keptPath)
    writeFileSync(path, `${secret}evil\n`)
    expect(await keep()).toBe('refused')
    untouched()
  })

  test('a second name of another file is not kept', async () => {
    rmSync(path)
    linkSync(outside, path)
    expect(await keep()).toBe('refused')
    expect(refused).toEqual([expect.stringContaining('another name')])
    expect(existsSync(keptPath)).toBe(false)
  })

  test('the kept one, given a second name elsewhere, is not appended to', async () => {
    await keep()
    linkSync(path, join(configDirectory, 'second'))
    rmSync(path)
    writeFileSync(path, 'one\ntwo\n')
    expect(await keep()).toBe('refused')
    expect(readFileSync(join(configDirectory, 'second'), 'utf8')).toBe('one\n')
  })

  test.each([
    ['a named pipe', () => execFileSync('mkfifo', [path])],
    ['a directory', () => mkdirSync(path)],
    ['a link to itself', () => symlinkSync(path, path)],
    ['a link to a terminal', () => symlinkSync('/dev/tty', path)],
    ['a link to endless zeros', () => symlinkSync('/dev/zero', path)],
    ['a file that only seems to be large', () => (writeFileSync(path, ''), truncateSync(path, 2 ** 42))],
  ])('%s keeps nobody waiting', async (_what, lay) => {
    await keep()
    rmSync(path)
    lay()
    expect(await kept.look(tree, id)).toMatchObject({ path: keptPath })
    expect(await keep()).not.toBe('kept')
    await kept.findWhole(tree, id)
    expect(refused.length).toBeGreaterThan(0)
    expect(readFileSync(keptPath, 'utf8')).toBe('one\n')
  })

  test.each([
    ['its directory', () => claudeSlug],
    ['the directory of all', () => join(configDirectory, 'projects')],
  ])('a link in the place of %s is not followed, to read, to keep, to put back or to delete', async (_what, where) => {
    await keep()
    const elsewhere = join(configDirectory, '..', 'elsewhere')
    renameSync(where(), elsewhere)
    symlinkSync(elsewhere, where())
    const inside = where() === claudeSlug ? join(elsewhere, `${id}.jsonl`) : join(elsewhere, '-a-b', `${id}.jsonl`)
    expect(await findTranscript(tree, id)).toBeUndefined()
    expect(await keep()).toBe('absent')
    rmSync(inside)
    expect(await found()).toBeUndefined()
    expect(existsSync(inside)).toBe(false)
    mkdirSync(inside.replace('.jsonl', ''))
    await tree.removeAll(['projects', '-a-b', id]).catch(() => {})
    expect(existsSync(inside.replace('.jsonl', ''))).toBe(true)
    expect(refused.length).toBeGreaterThan(0)
  })

  test('its directory as a link to what is hidden from it leads to nothing', async () => {
    const hidden = join(configDirectory, '..', 'transcripts')
    mkdirSync(join(hidden, 'projects/-a-b'), { recursive: true })
    writeFileSync(join(hidden, 'projects/-a-b', `${id}.jsonl`), secret)
    rmSync(configDirectory, { recursive: true })
    symlinkSync(hidden, configDirectory)
    expect(await findTranscript(new LocalTree(configDirectory, hidden), id)).toBeUndefined()
    expect(await findTranscript(new LocalTree(configDirectory), id)).toBeDefined()
  })

  test('a file that is another one than was found is not read', async () => {
    const transcript = (await findTranscript(tree, id))!
    renameSync(path, `${path}.away`)
    writeFileSync(path, 'other\n')
    await expect(transcript.read(0, 100)).rejects.toThrow('a different file than before')
    rmSync(path)
    symlinkSync(outside, path)
    await expect(transcript.read(0, 100)).rejects.toThrow('is a link')
  })

  test('names that are swapped while it is kept lead to no other file', async () => {
    const other = join(configDirectory, 'other')
    symlinkSync(outside, other)
    await swapping(path, other)
    const wrong: string[] = []
    for (let round = 0; round < 100; round++) {
      await keep()
      const facts = lstatSync(keptPath, { throwIfNoEntry: false })
      if (facts === undefined) continue
      if (!facts.isFile() || readFileSync(keptPath, 'utf8') === secret) wrong.push(`round ${round}`)
      rmSync(keptPath)
    }
    expect(wrong).toEqual([])
    untouched()
  })

  test('a directory that is swapped against a link in the middle takes nothing with it that is deleted', async () => {
    const precious = join(configDirectory, '..', 'precious')
    const beside = join(claudeSlug, id)
    for (const directory of [precious, beside]) {
      mkdirSync(join(directory, 'in'), { recursive: true })
      for (let count = 0; count < 20; count++) writeFileSync(join(directory, 'in', String(count)), secret)
    }
    const linked = join(configDirectory, 'linked')
    symlinkSync(join(precious, 'in'), linked)
    await swapping(join(beside, 'in'), linked)
    for (let round = 0; round < 50; round++) {
      await tree.removeAll(['projects', '-a-b', id]).catch(() => {})
      // The removal took the attacker's link or directory away, not its target; the attack begins again.
      mkdirSync(beside, { recursive: true })
      for (const again of [() => symlinkSync(join(precious, 'in'), linked), () => mkdirSync(join(beside, 'in'))]) {
        try {
          again()
        } catch {}
      }
    }
    expect(readdirSync(join(precious, 'in'))).toHaveLength(20)
  })
})
