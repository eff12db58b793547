import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { scratchDirectory } from '../../../test/support/scratch.ts'
import { systemClock } from '../../base/lib/clock.ts'
import { LocalTree } from '../../platform/machine/local-tree.ts'
import { KeptTranscripts } from './kept-transcripts.ts'
import { movedTranscript } from './moved-transcript.ts'
import { findTranscript } from './transcript.ts'

const id = 'a7038563-fdba-49e4-bf96-f80bba9e8472'

function conversation(slug: string) {
  const scratch = scratchDirectory()
  onTestFinished(() => scratch[Symbol.dispose]())
  const claude = join(scratch.path, '.claude')
  const place = (of: string, name = `${id}.jsonl`): string => join(claude, 'projects', of, name)
  mkdirSync(place(slug, id), { recursive: true })
  writeFileSync(place(slug), 'one\n')
  writeFileSync(place(slug, join(id, 'output')), 'long')
  const problems: string[] = []
  const own = new LocalTree(join(scratch.path, 'transcripts'))
  const kept = new KeptTranscripts(own, systemClock, (_id, problem) => problems.push(problem))
  return { place, tree: new LocalTree(claude), kept, problems, own }
}

test('a conversation moves with all that is beside it, and stays kept under one name', async () => {
  const { place, tree, kept, problems, own } = conversation('-releases-1')
  await kept.keepOf(tree, id)
  const moved = await movedTranscript((await findTranscript(tree, id))!, '/releases/2')
  expect(moved.path).toBe(place('-releases-2'))
  expect(readFileSync(place('-releases-2'), 'utf8')).toBe('one\n')
  expect(readFileSync(place('-releases-2', join(id, 'output')), 'utf8')).toBe('long')
  expect(existsSync(place('-releases-1'))).toBe(false)
  expect(await kept.keep(moved)).toBe('kept')
  expect((await own.findBelow([], `${id}.jsonl`)).files).toMatchObject([
    { names: ['-releases-1', `${id}.jsonl`], links: 2 },
  ])
  expect(problems).toEqual([])
})

test.each([
  ['the directory of its project', '-releases-1'],
  ['a worktree of its project', '-releases-1--claude-worktrees-x'],
])('a conversation in %s stays', async (_what, slug) => {
  const { place, tree } = conversation(slug)
  const stays = await movedTranscript((await findTranscript(tree, id))!, '/releases/1')
  expect(stays.path).toBe(place(slug))
  expect(existsSync(place(slug))).toBe(true)
})

test('a file that is there already is not replaced', async () => {
  const { place, tree } = conversation('-releases-1')
  mkdirSync(place('-releases-2', ''), { recursive: true })
  writeFileSync(place('-releases-2'), '')
  const found = (await findTranscript(tree, id))!
  await expect(movedTranscript(found, '/releases/2')).rejects.toThrow('already exists')
  expect(readFileSync(place('-releases-1'), 'utf8')).toBe('one\n')
})
