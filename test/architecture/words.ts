import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** Words that are ours alone, and the field's term for each. A word inside a longer one counts only in another case. */
const retired: Readonly<Record<string, string>> = {
  lane: 'session worker',
  face: 'adapter',
  mend: 'fix',
  mends: 'fixes',
  mended: 'fixed',
  takeBack: 'cancel, restore or undo',
  takenBack: 'cancelled, restored or undone',
  giveBack: 'return',
  deed: 'action',
  upkeep: 'context maintenance',
  unasked: 'unsolicited',
  toldTurn: 'reconstructed turn',
  tellingPart: 'input summary',
  neighbours: 'registrations',
  door: 'endpoint',
  parties: 'askers, participants or chats',
  anew: 'again, from the start, or over',
}

/** Phrases that readers stumbled over. */
const retiredPhrasesAndTerms: Readonly<Record<string, string>> = {
  'word left': 'notice',
  'leaves? word': 'leave a notice',
  'left alone': 'not started, or unchanged',
  'looks? on': 'view',
  'gone to': 'what happened to it',
  '(stands|stood)(?! (in )?for)': 'is, or applies',
  'taken back': 'undone or restored',
  'given back': 'restored',
  'goes first': 'has precedence',
  afresh: 'starts over',
  'as it stands': 'as it is',
  'on record': 'audited or recorded',
  '(is|was|be|been|were|are) told': 'learns, or gets',
}

const root = fileURLToPath(new URL('../..', import.meta.url))
const titleOfTest = /`[^`]+\.test\.ts`: "(?:[^"\\]|\\.)+"|; `[^`]+`: "(?:[^"\\]|\\.)+"/g
// Decisions and the changelog say what was; tests may quote it.
const kept = /^docs\/decisions\/|\.test\.tsx?$/

/** Code and pages that people read, as their paths from the root and their texts. */
export function readTexts(): readonly (readonly [path: string, text: string])[] {
  const paths = globSync(['src/**/*.ts', 'dashboard/src/**/*.{ts,tsx}', 'docs/**/*.md', '*.md'], { cwd: root })
  const wanted = paths
    .map((path) => path.replaceAll('\\', '/'))
    .filter((path) => !kept.test(path) && path !== 'CHANGELOG.md')
  return wanted.sort().map((path) => [path, readFileSync(join(root, path), 'utf8')])
}

export function retiredWords(texts: readonly (readonly [path: string, text: string])[]): readonly string[] {
  return texts.flatMap(([path, text]) =>
    text.split('\n').flatMap((line, index) =>
      wordsOf(line)
        .filter((word) => Object.hasOwn(retired, word))
        .map((word) => `${path}:${index + 1} says "${word}"; say ${retired[word]}`),
    ),
  )
}

export function retiredPhrases(texts: readonly (readonly [path: string, text: string])[]): readonly string[] {
  return texts.flatMap(([path, text]) => {
    const own = path.endsWith('.md') ? text.replaceAll(titleOfTest, '') : text.replaceAll(/\n *(?:\/\/|\*) ?/g, '\n')
    return Object.entries(retiredPhrasesAndTerms).flatMap(([phrase, term]) => {
      const found = own.match(new RegExp(String.raw`\b${phrase.replaceAll(' ', String.raw`\s+`)}\b`, 'i'))
      return found === null ? [] : [`${path} says "${found[0]}"; say ${term}`]
    })
  })
}

/** Names as they are written, and the words they are made of: `#upkeepOf` is upkeepOf, upkeep and of. */
function wordsOf(line: string): readonly string[] {
  const names = line.match(/[A-Za-z]+/g) ?? []
  const parts = names.flatMap((name) => name.match(/[A-Z]?[a-z]+/g) ?? [])
  const lowerFirst = (word: string): string => word.charAt(0).toLowerCase() + word.slice(1)
  return [...new Set([...names, ...parts].map(lowerFirst))]
}
