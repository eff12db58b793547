import { execFileSync } from 'node:child_process'
import { appendFileSync, chmodSync, existsSync, rmSync, utimesSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { git } from '../../../test/support/git.ts'
import { projectOf } from '../../../test/support/project-files.ts'
import { type Files, projectTree, writeFiles } from '../../../test/support/project-tree.ts'

/** A repository in which `files` are committed. */
function repository(files: Files) {
  const tree = projectTree(files)
  git(tree.path, 'init', '--quiet')
  git(tree.path, 'add', '--all')
  git(tree.path, 'commit', '--quiet', '--message=first')
  return tree
}

async function diffOf(directory: string) {
  const found = await projectOf(directory).files.gitDiff(1_048_576)
  return found.kind === 'diff' ? { diff: found.text, isCut: found.isCut } : { problem: found.problem }
}

test('the diff has what is changed and what is staged, no unknown files', async () => {
  using tree = repository({ 'a.txt': 'one\n', 'b.txt': 'one\n' })
  writeFiles(tree.path, { 'a.txt': 'two\n', 'b.txt': 'three\n', 'new.txt': 'new\n' })
  git(tree.path, 'add', 'b.txt')
  const { diff } = await diffOf(tree.path)
  expect(diff?.split('\n').filter((line) => /^[+-]/.test(line))).toEqual([
    '--- a/a.txt',
    '+++ b/a.txt',
    '-one',
    '+two',
    '--- a/b.txt',
    '+++ b/b.txt',
    '-one',
    '+three',
  ])
})

test('nothing changed is an empty diff', async () => {
  using tree = repository({ 'a.txt': 'one\n' })
  expect(await diffOf(tree.path)).toEqual({ diff: '', isCut: false })
})

test('of a repository around the project only what is in the project is shown', async () => {
  using tree = repository({ 'web/a.txt': 'one\n', 'secret/b.txt': 'one\n' })
  writeFiles(tree.path, { 'web/a.txt': 'two\n', 'secret/b.txt': 'two\n' })
  const { diff } = await diffOf(join(tree.path, 'web'))
  expect(diff).toContain('+++ b/a.txt')
  expect(diff).not.toContain('b.txt')
})

test('a large diff is cut, which is said', async () => {
  using tree = repository({ 'a.txt': '' })
  writeFiles(tree.path, { 'a.txt': 'a line of text\n'.repeat(200_000) })
  const { diff, isCut } = await diffOf(tree.path)
  expect(diff?.length).toBe(1_048_576)
  expect(isCut).toBe(true)
})

describe('without a diff there is a reason', () => {
  test('no repository', async () => {
    using tree = projectTree({ 'a.txt': '' })
    expect(await diffOf(tree.path)).toEqual({ problem: 'not a git repository, or one that git refuses to read' })
  })

  test('no commit', async () => {
    using tree = projectTree({ 'a.txt': '' })
    git(tree.path, 'init', '--quiet')
    expect(await diffOf(tree.path)).toEqual({ problem: 'nothing has been committed yet' })
  })

  test('a work tree elsewhere', async () => {
    using elsewhere = projectTree({ 'a.txt': 'secret' })
    using tree = repository({ 'a.txt': 'one' })
    git(tree.path, 'config', 'core.worktree', elsewhere.path)
    expect(await diffOf(tree.path)).toEqual({ problem: 'the work tree is elsewhere' })
  })
})

describe('what the repository names as a program is not run', () => {
  /** The settings by which `git diff` of a changed a.txt runs the command `touch ran`. */
  const traps: readonly (readonly [what: string, config: readonly (readonly [key: string, value: string])[]])[] = [
    ['an external diff', [['diff.external', 'touch ran;:']]],
    ['a diff driver', [['diff.trap.command', 'touch ran;:']]],
    ['a text conversion', [['diff.trap.textconv', 'touch ran;cat']]],
    ['a filter', [['filter.trap.clean', 'touch ran;cat']]],
    [
      'a filter that is required',
      [
        ['filter.trap.clean', 'touch ran;cat'],
        ['filter.trap.required', 'true'],
      ],
    ],
    ['a filter process', [['filter.trap.process', 'touch ran;cat']]],
    ['a monitor', [['core.fsmonitor', 'touch ran;:']]],
  ]

  test.each(traps)('%s', async (_what, config) => {
    using tree = repository({ 'a.txt': 'one\n', '.gitattributes': 'a.txt diff=trap filter=trap\n' })
    for (const [key, value] of config) git(tree.path, 'config', key, value)
    writeFiles(tree.path, { 'a.txt': 'two\n' })
    const ran = join(tree.path, 'ran')
    const { diff } = await diffOf(tree.path)
    expect(existsSync(ran)).toBe(false)
    expect(diff).toContain('+two')
    // The trap works: git without Iris's settings runs the command.
    try {
      git(tree.path, 'diff', 'HEAD')
    } catch {}
    expect(existsSync(ran)).toBe(true)
  })

  test('a hook', async () => {
    using tree = repository({ 'a.txt': 'one\n' })
    writeFiles(tree.path, { 'hooks/post-index-change': '#!/bin/sh\ntouch ran\n' })
    chmodSync(join(tree.path, 'hooks/post-index-change'), 0o755)
    git(tree.path, 'config', 'core.hooksPath', join(tree.path, 'hooks'))
    // Only the time changes: git then writes its index, and calls the hook.
    utimesSync(join(tree.path, 'a.txt'), 1, 1)
    expect(await diffOf(tree.path)).toEqual({ diff: '', isCut: false })
    expect(existsSync(join(tree.path, 'ran'))).toBe(false)
    git(tree.path, 'diff', 'HEAD')
    expect(existsSync(join(tree.path, 'ran'))).toBe(true)
  })

  test('a way to fetch what a partial clone lacks', async () => {
    using tree = repository({ 'a.txt': 'one\n' })
    for (const [key, value] of [
      ['core.repositoryFormatVersion', '1'],
      ['extensions.partialClone', 'origin'],
      ['remote.origin.promisor', 'true'],
      ['remote.origin.url', 'ssh://host.invalid/shop'],
      ['protocol.ssh.allow', 'always'],
      ['core.sshCommand', 'touch ran;:'],
    ] as const) {
      git(tree.path, 'config', key, value)
    }
    const blob = execFileSync('git', ['rev-parse', 'HEAD:a.txt'], { cwd: tree.path, encoding: 'utf8' }).trim()
    rmSync(join(tree.path, '.git/objects', blob.slice(0, 2), blob.slice(2)))
    writeFiles(tree.path, { 'a.txt': 'two\n' })
    const ran = join(tree.path, 'ran')
    expect(await diffOf(tree.path)).toEqual({ problem: 'git failed' })
    expect(existsSync(ran)).toBe(false)
    expect(() => git(tree.path, 'diff', 'HEAD')).toThrow('Command failed')
    expect(existsSync(ran)).toBe(true)
  })

  test('a filter among so many that they are not all seen', async () => {
    using tree = repository({ 'a.txt': 'one\n', '.gitattributes': 'a.txt filter=trap\n' })
    const many = Array.from({ length: 12 }, (_, at) => `[filter "${String(at).repeat(90_000)}"]\n\tclean = x\n`)
    appendFileSync(join(tree.path, '.git/config'), `${many.join('')}[filter "trap"]\n\tclean = touch ran;cat\n`)
    writeFiles(tree.path, { 'a.txt': 'two\n' })
    expect(await diffOf(tree.path)).toEqual({ problem: 'its configuration cannot be read' })
    expect(existsSync(join(tree.path, 'ran'))).toBe(false)
  })
})
