import { constants, type Stats } from 'node:fs'
import { type FileHandle, lstat, open } from 'node:fs/promises'
import { type Document, LineCounter, type ParsedNode, type YAMLError } from 'yaml'
import { parsedInTurns } from './parsed-in-turns.ts'
import type { ProblemList } from './problem.ts'

export const maxBytes = 1_048_576
/**
 * The parser takes up to 30 microseconds for each of these marks, and a text is parsed several times: a megabyte of
 * brackets or empty lines would hold up everybody for a minute. A file with a thousand teams has about 15 000 marks.
 */
const maxMarks = 50_000
const marks = /[\n[\]{},&*!#]|[-:?](?=\s|$)/g

/**
 * The text of config.yaml; null if there is no file, undefined if it cannot be read as text. Reports both an unreadable
 * file and a file that someone else could have written.
 */
export async function readConfigText(
  file: string,
  uid: number | undefined,
  problems: ProblemList,
): Promise<string | null | undefined> {
  try {
    // Without O_NONBLOCK, opening a named pipe would wait for its writer.
    await using handle = await open(file, constants.O_RDONLY | constants.O_NONBLOCK)
    return await readChecked(handle, file, uid, problems)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT' && !(await isLink(file))) return null
    const problem = code === 'ENOENT' ? 'the file is a broken link' : `the file cannot be read (${code ?? 'unknown'})`
    problems.add([], { problem, remedy: `See why with: ls -l ${shellWord(file)}` }, null)
    return undefined
  }
}

/** A dangling link does not count as an absent file: otherwise all teams would vanish while a disk is not mounted. */
async function isLink(file: string): Promise<boolean> {
  return lstat(file).then(
    (stat) => stat.isSymbolicLink(),
    () => false,
  )
}

async function readChecked(handle: FileHandle, file: string, uid: number | undefined, problems: ProblemList) {
  const stat = await handle.stat()
  if (!stat.isFile()) {
    const remedy = 'Move it away and create a regular file in its place.'
    problems.add([], { problem: 'config.yaml is not a file', remedy }, null)
    return undefined
  }
  if (uid !== undefined) checkSafe(stat, file, uid, problems)
  if (stat.size > maxBytes) {
    reportTooLarge(tooManyBytes, problems)
    return undefined
  }
  const text = decoded(await handle.readFile(), problems)
  return text === undefined || isTooLarge(text, problems) ? undefined : text
}

/** Whether parsing the text would take too long, which is then reported. Call it before parsing a text. */
export function isTooLarge(text: string, problems: ProblemList): boolean {
  const isLong = Buffer.byteLength(text) > maxBytes
  const isDense = !isLong && hasMoreMarks(text)
  if (isLong || isDense) reportTooLarge(isLong ? tooManyBytes : tooManyMarks, problems)
  return isLong || isDense
}

const tooManyBytes = `the file is larger than ${maxBytes} bytes`
const tooManyMarks = `the file has more than ${maxMarks} lines, brackets, commas and other marks of YAML`

function hasMoreMarks(text: string): boolean {
  let count = 0
  for (const _ of text.matchAll(marks)) if (++count > maxMarks) return true
  return false
}

function reportTooLarge(problem: string, problems: ProblemList): void {
  problems.add([], { problem, remedy: 'Remove what is not configuration.' }, null)
}

/** Anybody who can write this file can decide what runs as the user. */
function checkSafe(stat: Stats, file: string, uid: number, problems: ProblemList): void {
  if (stat.uid !== uid) {
    const problem = `the file belongs to another user (user id ${stat.uid}, yours is ${uid})`
    const remedy = `Check its contents, then take ownership: sudo chown ${uid} ${shellWord(file)}`
    problems.add([], { problem, allowed: 'a file of your own', remedy }, null)
  }
  if ((stat.mode & 0o022) !== 0) {
    const problem = `others can write to the file (mode ${(stat.mode & 0o777).toString(8)})`
    const remedy = `Run: chmod go-w ${shellWord(file)}`
    problems.add([], { problem, allowed: 'a file that only you can write to', remedy }, null)
  }
}

function decoded(bytes: Buffer, problems: ProblemList): string | undefined {
  try {
    // A byte order mark is kept, because some callers write the text back.
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    problems.add([], { problem: 'the file is not text in UTF-8', remedy: 'Save it as UTF-8.' }, null)
    return undefined
  }
}

function shellWord(text: string): string {
  return /^[\w./@-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`
}

interface ParsedText {
  readonly document: Document<ParsedNode>
  readonly lines: LineCounter
}

/** Parses YAML 1.2. If the text is not YAML, reports each line with an error and returns undefined. */
export async function parseText(text: string, problems: ProblemList): Promise<ParsedText | undefined> {
  const lines = new LineCounter()
  // Duplicate keys are found later, when the tree is read and the lines of both keys are known.
  const options = { lineCounter: lines, prettyErrors: false, stringKeys: true, uniqueKeys: false } as const
  const document = await parsedInTurns(text, options)
  const reported = new Set<number>()
  for (const error of [...document.errors, ...document.warnings]) {
    const { line, col } = lines.linePos(error.pos[0])
    // After the first error on a line, the parser only guesses.
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

/** For parser errors whose own message does not help users, or that need a different remedy. */
const known: Partial<Record<YAMLError['code'], Sentences>> = {
  TAB_AS_INDENT: ['a tab is used to indent', 'Indent with spaces.'],
  BAD_DQ_ESCAPE: [
    'a backslash in double quotes is followed by a character that it cannot escape',
    'Put the value in single quotes, or write \\\\ for a backslash.',
  ],
  BLOCK_AS_IMPLICIT_KEY: [
    'a second key begins on the line of another one',
    'Put the value in quotes if it contains a colon and a space. Otherwise start a new line.',
  ],
  MULTIPLE_DOCS: ['there is more than one document', 'Remove the line --- and keep one document.'],
  NON_STRING_KEY: ['a key is a list or a mapping', 'Write the key as plain text, or in quotes.'],
  TAG_RESOLVE_FAILED: ['a value has an unknown tag', 'Remove the word that begins with an exclamation mark.'],
  RESOURCE_EXHAUSTION: ['it is nested too deeply', 'Write fewer levels.'],
}

function sentences({ code, message }: YAMLError): Sentences {
  const [, kind, closing] = /^Flow (sequence|map) .*end with a ([\]}])$/.exec(message) ?? []
  if (closing) {
    const what = kind === 'map' ? 'a mapping in braces' : 'a list in brackets'
    return [`${what} is not closed`, `Close it with ${closing} and indent the lines that it takes.`]
  }
  if (message.includes('flow-map-start')) {
    const remedy = 'A ${VARIABLE} inside {…} needs quotes. Or write the key on its own line.'
    return ['a brace is in a place where a value cannot begin', remedy]
  }
  if (code === 'BAD_INDENT') return [plain(message), 'Give all keys of one group the same indentation.']
  if (code === 'BAD_SCALAR_START') return [plain(message), 'Put the value in quotes.']
  return known[code] ?? [plain(message), anyRemedy]
}

/** The parser's message without the excerpt of the file at its end, which may contain a secret. */
function plain(message: string): string {
  const sentence = message.replace(/: .*$/s, '').replace(/["']quote$/, 'quote')
  return sentence.charAt(0).toLowerCase() + sentence.slice(1)
}
