import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { outdatedFiles, writeDerivedFiles } from '../../scripts/release/derived-files.ts'
import { scratchDirectory } from '../support/scratch.ts'

const checkout = fileURLToPath(new URL('../..', import.meta.url))
const derived = [
  'package-lock.json',
  'plugin/.claude-plugin/plugin.json',
  'server.json',
  'src/base/protocol/version.ts',
]

test('the lock file, the plugin, the registry entry and the protocol have the name and version of package.json', () => {
  expect(outdatedFiles(checkout)).toEqual([])
})

test('a new version in package.json is written to all of them, and nothing else in them changes', () => {
  using scratch = scratchDirectory()
  for (const path of ['package.json', ...derived]) {
    mkdirSync(dirname(join(scratch.path, path)), { recursive: true })
    cpSync(join(checkout, path), join(scratch.path, path))
  }
  const read = (path: string): string => readFileSync(join(scratch.path, path), 'utf8')
  const { version } = JSON.parse(read('package.json'))
  writeFileSync(
    join(scratch.path, 'package.json'),
    read('package.json').replace(`"version": "${version}"`, '"version": "12.34.56"'),
  )
  expect(outdatedFiles(scratch.path)).toEqual(derived)
  const before = derived.map(read)
  writeDerivedFiles(scratch.path)
  expect(outdatedFiles(scratch.path)).toEqual([])
  const changes = derived.map((path, index) => {
    const old = before[index]!.split('\n')
    return read(path)
      .split('\n')
      .filter((line, at) => line !== old[at])
  })
  expect(changes.every((changed) => changed.length > 0)).toBe(true)
  expect(changes.flat().filter((line) => !line.includes('12.34.56'))).toEqual([])
})
