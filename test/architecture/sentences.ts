import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const longest = 25

const root = fileURLToPath(new URL('../..', import.meta.url))
const pages = ['README.md', 'CONTRIBUTING.md', 'SECURITY.md', 'docs/**/*.md']

/** The pages of today, as their paths from the root and their texts. Decisions say what was decided then. */
export function readPages(): readonly (readonly [path: string, text: string])[] {
  const paths = globSync(pages, { cwd: root }).map((path) => path.replaceAll('\\', '/'))
  return paths
    .filter((path) => !path.startsWith('docs/decisions/'))
    .sort()
    .map((path) => [path, readFileSync(join(root, path), 'utf8')])
}

export function longSentences(texts: readonly (readonly [path: string, text: string])[]): readonly string[] {
  return texts.flatMap(([path, text]) =>
    sentencesOf(text)
      .filter((sentence) => wordCount(sentence) > longest)
      .map((sentence) => `${path} has a sentence of ${wordCount(sentence)} words: ${sentence.slice(0, 60)}…`),
  )
}

/** Paragraphs, headings, items of lists and cells of tables, cut into sentences. Code is left out. */
function sentencesOf(page: string): readonly string[] {
  const prose = page.replaceAll(/^( *)```.*?^\1```$/gms, '\n').replaceAll(/^ *\|.*$/gm, cellsOf)
  const blocks = prose.split(/\n\s*\n|\n(?=\s*(?:[-*]|\d+\.|#+) )|(?<=^#.*)\n/m)
  return blocks.flatMap((block) =>
    block
      .trim()
      .replace(/^(?:[-*]|\d+\.|#+) /, '')
      .replaceAll(/\s+/g, ' ')
      .split(/(?<=[.!?][)"*_]*) (?=[\p{Lu}"*`([\d‹])/u),
  )
}

/** The cells of a row as paragraphs. A cell that names the tests of a promise is a list, not a sentence. */
function cellsOf(row: string): string {
  const cells = row.replaceAll(/`[^`]+`/g, 'Code').split('|')
  return cells.map((cell) => (cell.includes('Code: "') ? '' : cell.trim())).join('\n\n')
}

/** A name in code font, a link and a number are one word each; a dash is none. */
function wordCount(sentence: string): number {
  const plain = sentence.replaceAll(/`[^`]+`/g, 'code').replaceAll(/\]\([^)]*\)/g, '')
  return plain.split(' ').filter((word) => /[\p{L}\p{N}]/u.test(word)).length
}
