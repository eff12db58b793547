import { existsSync, globSync, readFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { expect, test } from 'vitest'

const root = join(import.meta.dirname, '../..')
const pages = globSync(['*.md', 'docs/**/*.md', 'plugin/**/*.md'], { cwd: root })
const sources = globSync(['{src,dashboard/src,test,bench,scripts}/**/*.{ts,tsx,sql,sh}'], { cwd: root })
const decisions = globSync('docs/decisions/[0-9]*.md', { cwd: root }).map((path) => basename(path))

/** Targets of links in a page, without code. */
function linksOf(page: string): readonly string[] {
  const text = readFileSync(join(root, page), 'utf8')
    .replaceAll(/^( *)```.*?^\1```$/gms, '')
    .replaceAll(/`[^`\n]*`/g, '')
  return [...text.matchAll(/\]\(([^)\s]+)\)/g)]
    .map(([, target]) => target!)
    .filter((target) => !/^[a-z]+:/.test(target))
}

/** The anchors of a page's headings, as GitHub makes them. */
function anchorsOf(page: string): readonly string[] {
  const headings = [...readFileSync(page, 'utf8').matchAll(/^#+ (.+)$/gm)].map(([, heading]) => heading!)
  const plain = (heading: string): string => heading.replaceAll(/\]\([^)]*\)/g, '').toLowerCase()
  return headings.map((heading) =>
    plain(heading)
      .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  )
}

test('every link of a page leads to a file, and to a heading of it', () => {
  const dead = pages.flatMap((page) =>
    linksOf(page).flatMap((target) => {
      const [path = '', anchor] = target.split('#')
      const file = path === '' ? join(root, page) : join(root, dirname(page), path)
      if (!existsSync(file)) return [`${page}: ${target}`]
      return anchor === undefined || anchorsOf(file).includes(anchor) ? [] : [`${page}: ${target}`]
    }),
  )
  expect(dead).toEqual([])
})

test('every decision that a page or code names by its number is there, and in the index', () => {
  const numbers = new Set(decisions.map((name) => name.slice(0, 4)))
  const named = [...pages, ...sources].flatMap((path) => {
    const text = readFileSync(join(root, path), 'utf8')
    return [...text.matchAll(/\bdecisions?[/ ](\d{4})\b/g)].map(([, number]) => [path, number!] as const)
  })
  expect(named.length).toBeGreaterThan(50)
  expect(named.filter(([, number]) => !numbers.has(number))).toEqual([])
  expect(linksOf('docs/decisions/README.md').toSorted()).toEqual(decisions.toSorted())
})
