import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

const root = fileURLToPath(new URL('../..', import.meta.url))
const links = [...readFileSync(`${root}README.md`, 'utf8').matchAll(/\]\(([^)#]+)\)/g)].map(([, path]) => path!)

test('what the README links is there', () => {
  expect(links.length).toBeGreaterThan(20)
  expect(links.filter((path) => !existsSync(root + path))).toEqual([])
})

test('the README links every page of the guide', () => {
  const pages = readdirSync(`${root}docs/guide`).filter((name) => name.endsWith('.md'))
  expect(pages.filter((name) => !links.includes(`docs/guide/${name}`))).toEqual([])
})
