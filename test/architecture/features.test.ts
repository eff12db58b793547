import { readdirSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

const root = new URL('../../src/', import.meta.url)

function foldersOf(floor: string): readonly string[] {
  return readdirSync(new URL(`${floor}/`, root), { withFileTypes: true }).flatMap((entry) =>
    entry.isDirectory() ? [`${floor}/${entry.name}`] : [],
  )
}

/** Others import what it has; it takes no part in composing Iris. */
const notOpened = new Set(['features/reports'])

test('every folder of a feature and of a view is opened once, by its own name', () => {
  const opening = readFileSync(new URL('app/daemon/features.ts', root), 'utf8')
  const folders = [...foldersOf('features'), ...foldersOf('views')].filter((folder) => !notOpened.has(folder))
  expect(folders.length).toBeGreaterThan(25)
  for (const folder of folders) {
    const [, imported] = opening.match(new RegExp(`import \\{ (\\w+) \\} from '../../${folder}/feature.ts'`)) ?? []
    expect([folder, opening.split(`.with(${imported})`).length - 1]).toEqual([folder, 1])
    const declared = readFileSync(new URL(`${folder}/feature.ts`, root), 'utf8')
    expect(declared).toContain(`feature('${folder.split('/')[1]}', `)
  }
})

test('the map in AGENTS.md has a row for each feature, in alphabetical order', () => {
  const map = readFileSync(new URL('../AGENTS.md', root), 'utf8').split('\n## The features\n')[1] ?? ''
  const rows = [...map.split('\n## ')[0]!.matchAll(/^\| `([\w-]+)` \|/gm)].map(([, name]) => `features/${name}`)
  expect(rows).toEqual(foldersOf('features').toSorted())
})
