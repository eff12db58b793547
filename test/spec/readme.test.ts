import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

const root = fileURLToPath(new URL('../..', import.meta.url))
const linksOf = (page: string): readonly string[] =>
  [...readFileSync(root + page, 'utf8').matchAll(/\]\(([^)#]+)\)/g)].map(([, path]) => path!)

test('the README is one and a half screens, and leads to the first hour and to the guide', () => {
  expect(readFileSync(`${root}README.md`, 'utf8').split('\n').length).toBeLessThanOrEqual(75)
  expect(linksOf('README.md')).toEqual(expect.arrayContaining(['docs/guide/first-hour.md', 'docs/guide/README.md']))
})

test('the index of the guide links every page of it, once', () => {
  const pages = readdirSync(`${root}docs/guide`).filter((name) => name.endsWith('.md') && name !== 'README.md')
  const own = linksOf('docs/guide/README.md').filter((path) => !path.startsWith('..'))
  expect(own.toSorted()).toEqual(pages.toSorted())
})
