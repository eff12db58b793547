import { spawnSync } from 'node:child_process'
import { chmodSync, lstatSync, readdirSync, readFileSync, statSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { projectOf } from '../../../test/support/project-files.ts'
import { projectTree } from '../../../test/support/project-tree.ts'
import type { ProjectFiles } from '../machine/machine.ts'
import type { Scripts } from './remote-tree.ts'
import { remoteWriteText } from './remote-write.ts'

type Writes = Pick<ProjectFiles, 'writeText'>

/** Writes like a project on another machine: with the same scripts, but run by a local shell. */
function byScripts(directory: string): Writes {
  const run: Scripts['run'] = async (script) => {
    const { status, stdout } = spawnSync('sh', ['-c', script], { env: { PATH: process.env['PATH'] } })
    return { status: status ?? 1, output: stdout }
  }
  const scripts = { name: 'there', run } as unknown as Scripts
  return { writeText: (name, text, was) => remoteWriteText(scripts, directory, { name, text, was }) }
}

function umask(mask: number): Disposable {
  const before = process.umask(mask)
  return { [Symbol.dispose]: () => void process.umask(before) }
}

describe.each([
  ['on this machine', (directory: string): Writes => projectOf(directory).files],
  ['on another machine', byScripts],
])('%s', (_where, filesOf) => {
  test('a text file is replaced as a whole, keeps its mode, and nothing else is left', async () => {
    using _ = umask(0o077)
    using tree = projectTree({ 'CLAUDE.md': "old 'text' \\n %s\n" })
    const path = join(tree.path, 'CLAUDE.md')
    chmodSync(path, 0o640)
    const text = `new "text" $(touch ran) \\t %d é\n${'x'.repeat(40_000)}\n`
    expect(await filesOf(tree.path).writeText('CLAUDE.md', text, "old 'text' \\n %s\n")).toEqual({ kind: 'written' })
    expect(readFileSync(path, 'utf8')).toBe(text)
    expect(statSync(path).mode & 0o777).toBe(0o640)
    expect(readdirSync(tree.path)).toEqual(['CLAUDE.md'])
  })

  test('a file that holds something else, or is there already, stays', async () => {
    using tree = projectTree({ 'CLAUDE.md': 'by somebody\n' })
    const files = filesOf(tree.path)
    expect(await files.writeText('CLAUDE.md', 'mine\n', 'old\n')).toEqual({ kind: 'changed' })
    expect(await files.writeText('CLAUDE.md', 'mine\n', undefined)).toEqual({ kind: 'changed' })
    expect(await files.writeText('new.md', 'mine\n', 'old\n')).toEqual({ kind: 'changed' })
    expect(readFileSync(join(tree.path, 'CLAUDE.md'), 'utf8')).toBe('by somebody\n')
    expect(await files.writeText('new.md', 'mine\n', undefined)).toEqual({ kind: 'written' })
    expect(readdirSync(tree.path).toSorted()).toEqual(['CLAUDE.md', 'new.md'])
  })

  test('a link within the project stays a link; one that leads out is refused', async () => {
    using elsewhere = projectTree({ 'secret.md': 'secret\n' })
    using tree = projectTree({ 'AGENTS.md': 'old\n' })
    symlinkSync('AGENTS.md', join(tree.path, 'CLAUDE.md'))
    symlinkSync(join(elsewhere.path, 'secret.md'), join(tree.path, 'out.md'))
    const files = filesOf(tree.path)
    expect(await files.writeText('CLAUDE.md', 'new\n', 'old\n')).toEqual({ kind: 'written' })
    expect(readFileSync(join(tree.path, 'AGENTS.md'), 'utf8')).toBe('new\n')
    expect(lstatSync(join(tree.path, 'CLAUDE.md')).isSymbolicLink()).toBe(true)
    expect(await files.writeText('out.md', 'new\n', 'secret\n')).toMatchObject({ kind: 'unusable' })
    expect(readFileSync(join(elsewhere.path, 'secret.md'), 'utf8')).toBe('secret\n')
  })
})
