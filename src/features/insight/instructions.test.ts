import { symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { projectOf } from '../../../test/support/project-files.ts'
import { projectTree, writeFiles } from '../../../test/support/project-tree.ts'
import type { Machine } from '../../platform/machine/machine.ts'
import { instructionsOf } from './instructions.ts'

/** A project with every kind of instructions, below a directory that belongs to the same tree. */
function withProject() {
  const tree = projectTree({
    'work/backend/src/deep/a.ts': 'code',
    'work/backend/CLAUDE.md': 'See @included.txt, and nothing else. Write to somebody@example.com.\n',
    'work/backend/included.txt': 'More in (@src/more.md).\n',
    'work/backend/src/more.md': 'one',
    'work/shared.md': 'one',
    'claude/CLAUDE.md': 'Be kind.',
  })
  const directory = join(tree.path, 'work/backend')
  symlinkSync('../shared.md', join(directory, 'CLAUDE.local.md'))
  const claude = {
    path: (names: readonly string[]) => join(tree.path, 'claude', ...names),
    find: async () => undefined,
  }
  const machine = { project: projectOf(directory).files, claude } as unknown as Machine
  return { tree, of: () => instructionsOf(machine, directory, [join(directory, 'src/deep/a.ts')]) }
}

test('each file that Claude Code reads by itself is compared', async () => {
  const { tree, of } = withProject()
  using _tree = tree
  const changes = [
    'work/backend/CLAUDE.md',
    'work/backend/.claude/CLAUDE.md',
    'work/backend/AGENTS.md',
    'work/backend/.mcp.json',
    // Above the project, and in the directories of the file that was read.
    'work/CLAUDE.md',
    'work/CLAUDE.local.md',
    'CLAUDE.md',
    'work/backend/src/CLAUDE.md',
    'work/backend/src/deep/CLAUDE.local.md',
    // Behind a link out of the project.
    'work/shared.md',
    'claude/CLAUDE.md',
    'claude/settings.json',
  ]
  let before = await of()
  expect(before?.present).toEqual(expect.arrayContaining(['CLAUDE.md', 'CLAUDE.local.md', 'included.txt']))
  for (const name of ['work/backend/src/more.md', 'work/backend/included.txt', ...changes]) {
    writeFiles(tree.path, { [name]: `changed: ${name}` })
    const after = await of()
    expect([name, after?.files]).not.toEqual([name, before?.files])
    before = after
  }
  writeFiles(tree.path, { 'work/backend/other/CLAUDE.md': 'in a directory that was not read' })
  expect(await of()).toEqual(before)
})

test.each([
  ['rules of the project', { 'work/backend/.claude/rules/a.md': 'a' }],
  ['rules above it', { 'work/.claude/rules/a.md': 'a' }],
  ['rules of the user', { 'claude/rules/a.md': 'a' }],
  ['a file in the home that is included', { 'work/backend/CLAUDE.md': 'See @~/notes.md' }],
  ['a file beside instructions that may be a link', { 'work/shared.md': 'See @more.md' }],
  ['instructions that are too long', { 'work/backend/CLAUDE.md': 'x'.repeat(300_000) }],
])('with %s not everything is known', async (_what, files) => {
  const { tree, of } = withProject()
  using _tree = tree
  expect(await of()).toBeDefined()
  writeFiles(tree.path, files)
  expect(await of()).toBeUndefined()
})

test('with settings by which the model is told what no file says, not all is known', async () => {
  const { tree, of } = withProject()
  using _tree = tree
  writeFiles(tree.path, { 'work/backend/.claude/settings.json': JSON.stringify({ outputStyle: 'Brief' }) })
  expect(await of()).toBeUndefined()
})
