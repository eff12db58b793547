import { execFileSync } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { git, makeRepository } from '../../../test/support/git.ts'
import { projectOf } from '../../../test/support/project-files.ts'
import { type Files, projectTree, writeFiles } from '../../../test/support/project-tree.ts'

function repository(files: Files) {
  const tree = projectTree(files)
  makeRepository(tree.path)
  return tree
}

const maxBytes = 1_048_576
const diffOf = (directory: string, path?: string) => projectOf(directory, undefined, path).files.gitDiff(maxBytes)

describe('a submodule', () => {
  const trap = 'touch ran;cat'

  /** A repository with the submodule `sub`, whose own settings start programs. */
  function withSubmodule(path: string): string {
    const sub = join(path, 'sub')
    mkdirSync(sub)
    writeFiles(sub, { 'b.txt': 'one\n', '.gitattributes': 'b.txt filter=trap diff=trap\n' })
    makeRepository(sub)
    git(path, 'init', '--quiet')
    git(path, '-c', 'advice.addEmbeddedRepo=false', 'add', '--all')
    writeFileSync(join(path, '.gitmodules'), '[submodule "sub"]\n\tpath = sub\n\turl = ./sub\n\tignore = none\n')
    git(path, 'add', '--all')
    git(path, 'commit', '--quiet', '--message=first')
    git(path, 'config', 'diff.submodule', 'diff')
    git(path, 'config', 'diff.ignoreSubmodules', 'none')
    for (const key of ['filter.trap.clean', 'diff.trap.textconv']) git(sub, 'config', key, trap)
    git(sub, 'config', 'diff.trap.command', 'touch ran;:')
    git(sub, 'config', 'core.fsmonitor', 'touch ran;:')
    return sub
  }

  test('that is changed starts nothing and shows nothing of its files', async () => {
    using tree = projectTree({})
    const sub = withSubmodule(tree.path)
    writeFileSync(join(sub, 'b.txt'), 'two\n')
    expect(await diffOf(tree.path)).toEqual({ kind: 'diff', text: '', isCut: false })
    expect(existsSync(join(sub, 'ran'))).toBe(false)
    git(tree.path, 'diff', 'HEAD')
    expect(existsSync(join(sub, 'ran'))).toBe(true)
  })

  test('that is at another commit is shown as two commits, and starts nothing', async () => {
    using tree = projectTree({})
    const sub = withSubmodule(tree.path)
    git(sub, '-c', 'core.fsmonitor=false', 'commit', '--quiet', '--allow-empty', '--message=second')
    // The commit may have run the filter itself.
    rmSync(join(sub, 'ran'), { force: true })
    const found = await diffOf(tree.path)
    expect(found).toMatchObject({
      kind: 'diff',
      text: expect.stringMatching(/^-Subproject commit \w{40}\n\+Subproject commit \w{40}$/m),
    })
    expect(existsSync(join(sub, 'ran'))).toBe(false)
  })

  test('whose .git is a file that leads elsewhere is not entered', async () => {
    using elsewhere = repository({ 'secret.txt': 'secret' })
    using tree = projectTree({})
    const sub = withSubmodule(tree.path)
    renameSync(join(sub, '.git'), join(tree.path, 'gone'))
    writeFileSync(join(sub, '.git'), `gitdir: ${join(elsewhere.path, '.git')}\n`)
    const found = await diffOf(tree.path)
    expect(JSON.stringify(found)).not.toContain('secret')
    expect(existsSync(join(sub, 'ran'))).toBe(false)
  })
})

describe('a .git that is no directory', () => {
  test('leads to a work tree as git makes one', async () => {
    using tree = repository({ 'a.txt': 'one\n' })
    using place = projectTree({})
    const worktree = join(place.path, 'worktree')
    git(tree.path, 'worktree', 'add', '--quiet', worktree)
    writeFileSync(join(worktree, 'a.txt'), 'two\n')
    expect(await diffOf(worktree)).toMatchObject({ kind: 'diff', text: expect.stringContaining('+two') })
  })

  test('leads to a repository elsewhere, of which no program is started', async () => {
    using elsewhere = repository({ 'a.txt': 'one\n', '.gitattributes': 'a.txt filter=trap diff=trap\n' })
    for (const key of ['filter.trap.clean', 'diff.trap.textconv']) git(elsewhere.path, 'config', key, 'touch ran;cat')
    git(elsewhere.path, 'config', 'core.fsmonitor', 'touch ran;:')
    using tree = projectTree({ 'a.txt': 'two\n', '.gitattributes': 'a.txt filter=trap diff=trap\n' })
    writeFileSync(join(tree.path, '.git'), `gitdir: ${join(elsewhere.path, '.git')}\n`)
    expect(await diffOf(tree.path)).toMatchObject({ kind: 'diff', text: expect.stringContaining('+two') })
    for (const directory of [tree.path, elsewhere.path]) expect(existsSync(join(directory, 'ran'))).toBe(false)
  })

  test.each([
    ['a file that leads nowhere', (path: string) => writeFileSync(path, 'gitdir: /nowhere\n')],
    ['a file that leads to itself', (path: string) => writeFileSync(path, 'gitdir: .git\n')],
    ['a file of something else', (path: string) => writeFileSync(path, 'x'.repeat(3_000_000))],
    ['a named pipe', (path: string) => execFileSync('mkfifo', [path])],
    ['a link to a device', (path: string) => symlinkSync('/dev/zero', path)],
  ])('%s is a reason why there is no diff', async (_what, make) => {
    using tree = projectTree({ 'a.txt': '' })
    make(join(tree.path, '.git'))
    expect(await diffOf(tree.path)).toEqual({
      kind: 'none',
      problem: expect.stringMatching(/^(not a git repository, or one that git refuses to read|git took over 5 s)$/),
    })
  })
})

describe('a repository is not too much', () => {
  test('with a million changed lines', async () => {
    using tree = repository({ 'a.txt': Array.from({ length: 1_000_000 }, (_, line) => `${line}\n`).join('') })
    writeFileSync(join(tree.path, 'a.txt'), Array.from({ length: 1_000_000 }, (_, line) => `new ${line}\n`).join(''))
    const found = await diffOf(tree.path)
    const outcome = found.kind === 'diff' ? `${found.text.length} bytes, cut: ${found.isCut}` : found.problem
    expect(['1048576 bytes, cut: true', 'git took over 5 s']).toContain(outcome)
  })

  test('for git, which gets so much memory and no more', async () => {
    using tree = projectTree({})
    using programs = projectTree({ git: '#!/bin/sh\nexec tail /dev/zero\n' })
    chmodSync(join(programs.path, 'git'), 0o755)
    const found = await diffOf(tree.path, `${programs.path}:${process.env['PATH']}`)
    // git ran out of memory, long before its time limit.
    expect(found).toEqual({ kind: 'none', problem: 'not a git repository, or one that git refuses to read' })
  })
})
