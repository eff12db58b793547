import { execFileSync } from 'node:child_process'
import { appendFileSync, cpSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, onTestFinished, test } from 'vitest'
import { Refusal } from '../../scripts/release/refusal.ts'
import { release } from '../../scripts/release/release.ts'
import { scratchDirectory } from '../support/scratch.ts'

const checkout = fileURLToPath(new URL('../..', import.meta.url))
const notCopied = new Set(['.git', 'node_modules', 'dist', 'coverage', '.bench'])

const quickBuild = `import { mkdirSync, writeFileSync } from 'node:fs'
mkdirSync('dist')
writeFileSync('dist/main.js', '#!/usr/bin/env node')
`
const changelog = '# Changelog\n\n## [Unreleased]\n\n### Added\n\n- One.\n'

/** A repository with one commit on main. */
function repository(fill: (root: string) => void): { root: string; git: (...args: string[]) => string } {
  const scratch = scratchDirectory()
  onTestFinished(() => scratch[Symbol.dispose]())
  const root = join(scratch.path, 'iris')
  mkdirSync(root)
  const git = (...args: string[]): string => execFileSync('git', args, { cwd: root, encoding: 'utf8' }).trim()
  git('init', '--quiet', '--initial-branch', 'main')
  git('config', 'user.name', 'Iris')
  git('config', 'user.email', 'iris@example.invalid')
  fill(root)
  git('add', '--all')
  git('commit', '--quiet', '--message', 'Begin')
  return { root, git }
}

function attempt(root: string, ...args: string[]): string[] {
  const said: string[] = []
  release({ root, args, today: '2026-12-01', say: (line) => said.push(line) })
  return said
}

describe('a release is refused, and nothing is changed', () => {
  const small = () => repository((root) => writeFileSync(join(root, 'CHANGELOG.md'), changelog))

  test.each([
    ['without a version', [], 'Say which version: npm run release -- 1.2.0 [--dry-run]'],
    ['with two', ['1.0.0', '1.0.1'], 'Say which version'],
    ['for what is no version', ['v1.0'], '"v1.0" is not a version. Give three numbers, such as 1.2.0.'],
    ['for a version with a suffix', ['1.0.0-beta'], '"1.0.0-beta" is not a version.'],
  ])('%s', (_why, args, message) => {
    expect(() => attempt(small().root, ...args)).toThrow(message)
  })

  test('on another branch', () => {
    const { root, git } = small()
    git('switch', '--quiet', '--create', 'work')
    expect(() => attempt(root, '1.0.0')).toThrow('A release is made on main, and this is work.')
  })

  test('with changes that are not committed, new files among them', () => {
    const { root } = small()
    writeFileSync(join(root, 'new.txt'), '')
    expect(() => attempt(root, '1.0.0')).toThrow('There are changes that are not committed:\n?? new.txt')
  })

  test('for a version that is tagged', () => {
    const { root, git } = small()
    git('tag', 'v1.0.0')
    expect(() => attempt(root, '1.0.0')).toThrow('There is a tag v1.0.0 already.')
  })

  test.each(['1.9.9', '1.10.0'])('for %s after 1.10.0', (version) => {
    const { root, git } = small()
    appendFileSync(join(root, 'CHANGELOG.md'), '\n## [1.10.0] - 2026-01-31\n')
    git('commit', '--quiet', '--all', '--message', 'Release')
    expect(() => attempt(root, version)).toThrow(
      `${version} is not newer than 1.10.0, the last version in CHANGELOG.md.`,
    )
  })

  test('when a step fails: the copy that was worked on is gone, and the checkout as it was', () => {
    // There is no package.json to write the version to.
    const { root, git } = small()
    expect(() => attempt(root, '1.0.0')).toThrow('package.json')
    expect(git('worktree', 'list').split('\n')).toHaveLength(1)
    expect(git('status', '--porcelain')).toBe('')
  })
})

test('a dry run shows what a release does and changes nothing; the release commits, tags, packs and prints what is left', {
  timeout: 600_000,
}, () => {
  const { root, git } = repository((at) => {
    cpSync(checkout, at, { recursive: true, filter: (path) => !notCopied.has(basename(path)) })
    // test/spec/package.test.ts builds for real.
    writeFileSync(join(at, 'scripts/build.ts'), quickBuild)
    // A checkout ignores a directory of this name, not a link.
    appendFileSync(join(at, '.git/info/exclude'), 'node_modules\n')
    symlinkSync(join(checkout, 'node_modules'), join(at, 'node_modules'))
  })
  const head = git('rev-parse', 'HEAD')

  expect(attempt(root, '98.7.6', '--dry-run').at(-1)).toBe('Dry run: 98.7.6 can be released. Nothing was changed.')
  expect({ head: git('rev-parse', 'HEAD'), tags: git('tag'), changes: git('status', '--porcelain') }).toEqual({
    head,
    tags: '',
    changes: '',
  })

  const said = attempt(root, '98.7.6').join('\n')
  const read = (path: string) => readFileSync(join(root, path), 'utf8')
  const { name, version } = JSON.parse(read('package.json'))
  expect(version).toBe('98.7.6')
  expect(git('log', '--format=%s', `${head}..v98.7.6`)).toBe('Release 98.7.6')
  expect(git('diff', '--name-only', head).split('\n')).toEqual([
    'CHANGELOG.md',
    'docs/openapi.json',
    'package-lock.json',
    'package.json',
    'plugin/.claude-plugin/plugin.json',
    'server.json',
    'src/base/protocol/version.ts',
    'test/release/openapi-released.json',
    'test/stores/released-98.7.6.sql',
  ])
  expect(read('CHANGELOG.md')).toContain('## [Unreleased]\n\n## [98.7.6] - 2026-12-01\n')
  expect(existsSync(join(root, `${name}-98.7.6.tgz`))).toBe(true)
  expect(said).toContain(`npm publish ${name}-98.7.6.tgz`)
  expect(() => attempt(root, '98.7.7')).toThrow(Refusal)
})
