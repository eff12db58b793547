import { globSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { basename, join } from 'node:path'
import { expect, test } from 'vitest'
import { insightPicture, phonePicture, shownPages } from './support/shown-pages.ts'

const root = join(import.meta.dirname, '..')
const folder = join(root, 'docs/guide/images')
const pages = [join(root, 'README.md'), ...globSync(join(root, 'docs/**/*.md'))]
const used = new Set(
  pages.flatMap((page) =>
    [...readFileSync(page, 'utf8').matchAll(/!\[[^\]]+\]\(([^)]+)\)/g)].map(([, file]) => basename(file!)),
  ),
)
const kept = readdirSync(folder)
/** What `npm run pictures` makes. */
const made = [
  ...shownPages({ sessionId: 'x', turnId: 'x' }).flatMap(({ picture }) => picture ?? []),
  phonePicture,
  insightPicture,
]

/** What `npm run recording` makes. */
const recording = 'demo.svg'

test('the pictures of the guide are those that "npm run pictures" makes, each is there, and each is used', () => {
  const names = [...made.map((name) => `${name}.png`), recording].toSorted()
  expect(kept.toSorted()).toEqual(names)
  expect([...used].toSorted()).toEqual(names)
})

test.each(kept)('%s is small', (name) => {
  expect(statSync(join(folder, name)).size).toBeLessThan(280_000)
})

test('the recording is one file without a script, an address of others or a font of its own, and lasts twenty seconds', () => {
  const text = readFileSync(join(folder, recording), 'utf8')
  expect(text).not.toMatch(/<script|<foreignObject|@font-face|@import|url\(|href=|\son\w+=/i)
  expect(text.replace('xmlns="http://www.w3.org/2000/svg"', '')).not.toContain('://www')
  expect(new Set([...text.matchAll(/dur="([^"]+)"/g)].map(([, dur]) => dur))).toEqual(new Set(['20s']))
})

test('each picture is of a page that the dashboard has', () => {
  const router = readFileSync(join(root, 'dashboard/src/app/router.tsx'), 'utf8')
  const paths = [...router.matchAll(/^  path: '([^']+)',$/gm)].map(([, path]) => path!)
  for (const { path } of shownPages({ sessionId: 'x', turnId: 'x' })) {
    const { pathname } = new URL(path, 'http://localhost')
    expect(paths.map((each) => each.replace(/\$\w+/, 'x'))).toContain(pathname)
  }
})
