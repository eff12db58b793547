import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { scratchDirectory } from '../../../../test/support/scratch.ts'
import { guessDescription } from './guess.ts'

function project(fill: (directory: string, outside: string) => void): string | undefined {
  using scratch = scratchDirectory()
  const directory = join(scratch.path, 'project')
  mkdirSync(directory)
  writeFileSync(join(scratch.path, 'secret.md'), 'A secret of somebody else.')
  fill(directory, scratch.path)
  return guessDescription(directory)
}

test('a description is the first sentence of CLAUDE.md, also through a link inside the project', () => {
  const found = project((directory) => {
    writeFileSync(join(directory, 'AGENTS.md'), '# Shop\n\nSells books. And more.')
    symlinkSync('AGENTS.md', join(directory, 'CLAUDE.md'))
  })
  expect(found).toBe('Sells books.')
})

test.each([
  ['a link out of the project', '../secret.md'],
  ['a device', '/dev/zero'],
])('%s is not read', (_, target) => {
  const found = project((directory) => {
    symlinkSync(target, join(directory, 'CLAUDE.md'))
    writeFileSync(join(directory, 'README.md'), 'Sells books.')
  })
  expect(found).toBe('Sells books.')
})
