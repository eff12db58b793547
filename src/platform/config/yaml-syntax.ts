import { type Document, LineCounter, type ParsedNode, parseDocument, type YAMLError } from 'yaml'
import type { ProblemList } from './problem-list.ts'

export interface ParsedText {
  readonly document: Document<ParsedNode>
  readonly lines: LineCounter
}

/** Parses YAML 1.2 text; reports what is not YAML with its line, and returns undefined then. */
export function parseText(text: string, problems: ProblemList): ParsedText | undefined {
  const lines = new LineCounter()
  // Equal keys are found while the tree is read, where both of their lines are known.
  const options = { lineCounter: lines, prettyErrors: false, stringKeys: true, uniqueKeys: false } as const
  const document = parseDocument(text, options)
  const reported = new Set<number>()
  for (const error of [...document.errors, ...document.warnings]) {
    const { line, col } = lines.linePos(error.pos[0])
    // Behind the first error of a line the parser only guesses.
    if (reported.has(line)) continue
    reported.add(line)
    const [problem, remedy] = sentences(error)
    problems.add([], { problem: `this is not YAML: ${problem}`, remedy }, { line, column: col, shown: null })
  }
  return reported.size > 0 ? undefined : { document, lines }
}

type Sentences = readonly [problem: string, remedy: string]

const anyRemedy =
  'Correct the line, or the one before it: often a quote, a bracket or a colon is missing, or a value needs quotes.'

/** Where the parser's own sentence is not for users, or needs another remedy. */
const known: Partial<Record<YAMLError['code'], Sentences>> = {
  TAB_AS_INDENT: ['a tab is used to indent', 'Indent with spaces.'],
  BAD_DQ_ESCAPE: [
    'a backslash in double quotes is followed by what it cannot escape',
    'Put the value in single quotes, or write \\\\ for a backslash.',
  ],
  BLOCK_AS_IMPLICIT_KEY: [
    'a second key begins on the line of another one',
    'Put the value in quotes if it holds a colon and a space; else begin a new line.',
  ],
  MULTIPLE_DOCS: ['there is more than one document', 'Remove the line --- and keep one document.'],
  NON_STRING_KEY: ['a key is a list or a mapping', 'Write the key as plain text, or in quotes.'],
  TAG_RESOLVE_FAILED: ['a kind of value is unknown', 'Remove the word that begins with an exclamation mark.'],
  RESOURCE_EXHAUSTION: ['it is nested too deep', 'Write fewer levels.'],
}

function sentences({ code, message }: YAMLError): Sentences {
  const [, kind, closing] = /^Flow (sequence|map) .*end with a ([\]}])$/.exec(message) ?? []
  if (closing) {
    const what = kind === 'map' ? 'a mapping in braces' : 'a list in brackets'
    return [`${what} is not closed`, `Close it with ${closing} and indent the lines that it takes.`]
  }
  if (message.includes('flow-map-start')) {
    const remedy = 'A ${VARIABLE} inside {…} cannot do without quotes: write the key on a line of its own.'
    return ['a brace stands where none can begin', remedy]
  }
  if (code === 'BAD_INDENT') return [plain(message), 'Give all keys of one group the same indentation.']
  if (code === 'BAD_SCALAR_START') return [plain(message), 'Put the value in quotes.']
  return known[code] ?? [plain(message), anyRemedy]
}

/** The parser's sentence without the piece of the file that some of them end with: it may be a secret. */
function plain(message: string): string {
  const sentence = message.replace(/: .*$/s, '').replace(/["']quote$/, 'quote')
  return sentence.charAt(0).toLowerCase() + sentence.slice(1)
}
