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

/** As a team on another machine is read, by the same scripts, run by a shell here. */
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
    // After a rebase the former commit is not among the ancestors, but git still has it.
    git(tree.path, 'reset', '--quiet', '--hard', since)
    git(tree.path, 'commit', '--quiet', '--amend', '--message=again')
    expect(await files.lastCommit('a.txt', id)).toMatchObject({ author: expect.any(String) })
    rmSync(join(tree.path, '.git'), { recursive: true })
    expect(await files.lastCommit('a.txt', since)).toBeUndefined()
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
