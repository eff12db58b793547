import { execFileSync, spawnSync } from 'node:child_process'
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { git, makeRepository } from '../../../test/support/git.ts'
import { projectOf } from '../../../test/support/project-files.ts'
import { type Files, projectTree, writeFiles } from '../../../test/support/project-tree.ts'
import type { ProjectFiles } from '../machine/machine.ts'
import { remoteFileStates, remoteLastCommit } from './remote-git.ts'
import type { Scripts } from './remote-tree.ts'

function repository(files: Files) {
  const tree = projectTree(files)
  makeRepository(tree.path)
  return tree
}

type StatesAndCommits = Pick<ProjectFiles, 'fileStates' | 'lastCommit'>

/** Reads like a team on another machine: with the same scripts, but run by a local shell. */
function byScripts(directory: string): StatesAndCommits {
  const run: Scripts['run'] = async (script) => {
    const { status, stdout } = spawnSync('sh', ['-c', script], { env: { PATH: process.env['PATH'] } })
    return { status: status ?? 1, output: stdout }
  }
  const scripts = { name: 'there', run } as unknown as Scripts
  return {
    fileStates: (names) => remoteFileStates(scripts, directory, names),
    lastCommit: (name, since) => remoteLastCommit(scripts, directory, name, since),
  }
}

describe.each([
  ['on this machine', (directory: string): StatesAndCommits => projectOf(directory).files],
  ['on another machine', byScripts],
])('%s', (_where, filesOf) => {
  test('a file has the same hash until its contents change, whoever names it how', async () => {
    using tree = repository({ 'src/a b.ts': 'one\n', 'b.ts': 'one\n' })
    symlinkSync('src/a b.ts', join(tree.path, 'link.ts'))
    const files = filesOf(tree.path)
    const names = ['src/a b.ts', join(tree.path, 'src/a b.ts'), './src/../src/a b.ts', 'link.ts', 'b.ts']
    const { head, files: before } = await files.fileStates(names)
    expect(head).toBe(git(tree.path, 'rev-parse', 'HEAD').trim())
    expect(before.map((file) => file?.name)).toEqual(['src/a b.ts', 'src/a b.ts', 'src/a b.ts', 'src/a b.ts', 'b.ts'])
    expect(new Set(before.map((file) => file?.hash)).size).toBe(1)
    writeFiles(tree.path, { 'src/a b.ts': 'two\n' })
    const [a, , , , b] = (await files.fileStates(names)).files
    expect(a?.hash).not.toBe(before[0]!.hash)
    expect(b).toEqual(before[4])
  })

  test('what is no file of the project has no state', async () => {
    using elsewhere = projectTree({ 'secret.txt': 'secret' })
    using tree = projectTree({ 'a.txt': 'one' })
    mkdirSync(join(tree.path, 'sub'))
    symlinkSync(join(elsewhere.path, 'secret.txt'), join(tree.path, 'out.txt'))
    symlinkSync(elsewhere.path, join(tree.path, 'way'))
    symlinkSync('loop', join(tree.path, 'loop'))
    execFileSync('mkfifo', [join(tree.path, 'pipe')])
    const outside = ['missing.txt', 'sub', 'out.txt', 'way/secret.txt', 'loop', 'pipe', '/dev/zero', '/etc/hostname']
    const names = [...outside, '$(touch ran)', "'; touch ran; '", '-n', '../a.txt']
    const { head, files } = await filesOf(tree.path).fileStates(names)
    expect(head).toBeUndefined()
    expect(files).toEqual(names.map(() => undefined))
    expect((await filesOf(tree.path).fileStates(['ran'])).files).toEqual([undefined])
  })

  test('the last commit since another one that changed a file is named, with its author', async () => {
    using tree = repository({ 'a.txt': 'one\n', 'b.txt': 'one\n' })
    const since = git(tree.path, 'rev-parse', 'HEAD').trim()
    const commit = (file: string, text: string, author: string): string => {
      writeFiles(tree.path, { [file]: text })
      git(tree.path, '-c', `user.name=${author}`, 'commit', '--quiet', '--all', `--message=${text}`)
      return git(tree.path, 'rev-parse', 'HEAD').trim()
    }
    commit('a.txt', 'two\n', 'Somebody')
    const id = commit('a.txt', 'three\n', 'Somebody Else')
    commit('b.txt', 'two\n', 'Somebody')
    const files = filesOf(tree.path)
    expect(await files.lastCommit('a.txt', since)).toEqual({ id, author: 'Somebody Else' })
    expect(await files.lastCommit('a.txt', id)).toBeUndefined()
    expect(await files.lastCommit('*.txt', since)).toBeUndefined()
    expect(await files.lastCommit('a.txt', '0'.repeat(40))).toBeUndefined()
    expect(await files.lastCommit('a.txt', '--all')).toBeUndefined()
    rmSync(join(tree.path, '.git'), { recursive: true })
    expect(await files.lastCommit('a.txt', since)).toBeUndefined()
  })

  test('after a rebase, and on another branch, it is known that a file changed, and no commit is named for it', async () => {
    using tree = repository({ 'a.txt': 'one\n', 'b.txt': 'one\n' })
    const commit = (message: string): string => {
      git(tree.path, 'add', '--all')
      git(tree.path, 'commit', '--quiet', '--allow-empty', `--message=${message}`)
      return git(tree.path, 'rev-parse', 'HEAD').trim()
    }
    const files = filesOf(tree.path)
    const first = git(tree.path, 'rev-parse', 'HEAD').trim()
    git(tree.path, 'checkout', '--quiet', '-b', 'topic')
    writeFiles(tree.path, { 'a.txt': 'two\n' })
    const topic = commit('topic')
    const [before] = (await files.fileStates(['a.txt'])).files
    // The base of the branch gets another commit, and the branch is rebased onto it: the contents stay the same.
    git(tree.path, 'checkout', '--quiet', '-b', 'base', first)
    writeFiles(tree.path, { 'b.txt': 'two\n' })
    commit('base')
    git(tree.path, 'checkout', '--quiet', 'topic')
    git(tree.path, 'rebase', '--quiet', 'base')
    expect((await files.fileStates(['a.txt'])).files).toEqual([before])
    expect(await files.lastCommit('a.txt', topic)).toBeUndefined()
    expect(await files.lastCommit('a.txt', first)).toMatchObject({ id: expect.stringMatching(/^[0-9a-f]{40}$/) })
    // The branch is left and deleted, and its commits are garbage-collected.
    git(tree.path, 'checkout', '--quiet', 'base')
    git(tree.path, 'branch', '--quiet', '--delete', '--force', 'topic')
    git(tree.path, 'reflog', 'expire', '--expire=now', '--all')
    git(tree.path, 'gc', '--quiet', '--prune=now')
    expect((await files.fileStates(['a.txt'])).files[0]?.hash).not.toBe(before?.hash)
    expect(await files.lastCommit('a.txt', topic)).toBeUndefined()
  })

  test('a file of a submodule has its state, and the commits of the repository around it', async () => {
    using inner = repository({ 'c.txt': 'one\n' })
    using tree = repository({ 'a.txt': 'one\n' })
    git(tree.path, '-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', inner.path, 'lib')
    git(tree.path, 'commit', '--quiet', '--all', '--message=with lib')
    const since = git(tree.path, 'rev-parse', 'HEAD').trim()
    const files = filesOf(tree.path)
    const [before] = (await files.fileStates(['lib/c.txt'])).files
    expect(before).toMatchObject({ name: 'lib/c.txt' })
    writeFiles(tree.path, { 'lib/c.txt': 'two\n' })
    git(join(tree.path, 'lib'), 'commit', '--quiet', '--all', '--message=inner')
    git(tree.path, 'commit', '--quiet', '--all', '--message=a later lib')
    expect((await files.fileStates(['lib/c.txt'])).files[0]?.hash).not.toBe(before?.hash)
    expect(await files.lastCommit('lib/c.txt', since)).toBeUndefined()
    expect(await files.lastCommit('lib', since)).toMatchObject({ id: git(tree.path, 'rev-parse', 'HEAD').trim() })
  })

  test('the repository chooses no program that runs', async () => {
    using tree = repository({ 'a.txt': 'one\n', '.gitattributes': 'a.txt diff=trap filter=trap\n' })
    const since = git(tree.path, 'rev-parse', 'HEAD').trim()
    git(tree.path, 'commit', '--quiet', '--allow-empty', '--message=second')
    writeFileSync(join(tree.path, 'a.txt'), 'two\n')
    git(tree.path, 'commit', '--quiet', '--all', '--message=third')
    const settings = {
      'diff.trap.textconv': 'touch ran;cat',
      'diff.external': 'touch ran;:',
      'filter.trap.clean': 'touch ran;cat',
      'core.fsmonitor': 'touch ran;:',
      'core.pager': 'touch ran;cat',
      'log.showSignature': 'true',
      'gpg.program': 'touch ran;:',
      'log.follow': 'true',
    }
    for (const [key, value] of Object.entries(settings)) git(tree.path, 'config', key, value)
    const files = filesOf(tree.path)
    expect(await files.lastCommit('a.txt', since)).toMatchObject({ id: expect.stringMatching(/^[0-9a-f]{40}$/) })
    expect((await files.fileStates(['a.txt', 'ran'])).files).toEqual([expect.anything(), undefined])
  })
})
