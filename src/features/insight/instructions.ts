import { dirname, isAbsolute, join, normalize, relative } from 'node:path'
import { sha256 } from '../../base/lib/sha256.ts'
import type { Machine } from '../../platform/machine/machine.ts'
import type { KeptFile } from './rows/kept-answers.ts'
import { addsUnknown, isSettings } from './settings-effects.ts'

/**
 * Claude Code reads these files in the project, in the directories above it, and in each of its directories in which it
 * reads a file.
 */
const inDirectory = [
  'CLAUDE.md',
  'CLAUDE.local.md',
  'AGENTS.md',
  '.claude/CLAUDE.md',
  '.claude/AGENTS.md',
  '.mcp.json',
] as const
/** `HEAD` contains the name of the branch, which Claude Code passes to the model. */
const inProject = ['.claude/settings.json', '.claude/settings.local.json', '.git/HEAD']
/** Directories that the machine's administrator manages. */
const managed = ['/etc/claude-code', '/Library/Application Support/ClaudeCode']
const inManaged = ['CLAUDE.md', 'managed-settings.json', 'managed-mcp.json']
const inClaude = ['CLAUDE.md', 'settings.json', 'settings.local.json']
/**
 * Claude Code also reads all files in these directories. Iris does not list such files: if there is such a directory,
 * no answer is kept.
 */
const rules = '.claude/rules'
const notRead = managed.flatMap((each) => [`${each}/${rules}`, `${each}/managed-settings.d`])

const maxBytes = 256 * 1024
const maxFiles = 200

/** An agent's instructions, without its settings in Iris. */
export interface Instructions {
  /** Files by name, including those that are missing. */
  readonly files: readonly KeptFile[]
  /** The names of the files that exist, for `lastChange`. */
  readonly present: readonly string[]
}

/**
 * The files that Claude Code reads on its own for a project in `directory` and a turn that read the files `used`,
 * including the files that these files include by `@path`. Undefined if not all of these files are known.
 */
export async function instructionsOf(
  { project, claude }: Machine,
  directory: string,
  used: readonly string[],
): Promise<Instructions | undefined> {
  if (!isAbsolute(directory)) return undefined
  const { files: states } = await project.fileStates(used)
  const files = states.flatMap((state, index) =>
    state === undefined ? [] : [state.name, below(used[index]!, directory)],
  )
  const directories = [...above(directory), ...new Set(files.flatMap(directoriesTo))]
  const read = (name: string, most: number) => project.readText(name, { mostBytes: most, anywhere: true })
  const closed = [...directories.map((each) => join(each, rules)), ...notRead, claude.path(['rules'])]
  const found = await Promise.all(closed.map((name) => read(name, 1)))
  if (found.some(({ kind }) => kind !== 'absent')) return undefined
  const hashes = new Map<string, string | null>()
  let names = [
    ...directories.flatMap((each) => inDirectory.map((name) => join(each, name))),
    ...inProject,
    ...managed.flatMap((each) => inManaged.map((name) => join(each, name))),
    ...inClaude.map((name) => claude.path([name])),
  ]
  while (names.length > 0) {
    if (hashes.size + names.length > maxFiles) return undefined
    const texts = await Promise.all(names.map((name) => read(name, maxBytes)))
    const included: (readonly string[] | undefined)[] = []
    for (const [index, name] of names.entries()) {
      const text = texts[index]!
      if (text.kind === 'unusable') return undefined
      hashes.set(name, text.kind === 'text' ? sha256(text.text) : null)
      if (text.kind === 'text' && isSettings(name) && addsUnknown(text.text)) return undefined
      if (text.kind === 'text' && !name.endsWith('.json')) included.push(await includedBy(name, text.text, project))
    }
    if (included.includes(undefined)) return undefined
    names = [...new Set(included.flatMap((each) => each ?? []))].filter((name) => !hashes.has(name))
  }
  const present = [...hashes].filter(([, hash]) => hash !== null).map(([name]) => name)
  const memory = ['projects', directory.replace(/[^A-Za-z0-9]/g, '-'), 'memory', 'MEMORY.md']
  const facts = await claude.find(memory)
  const remembered = facts === undefined ? null : `${facts.identity} ${facts.size} ${facts.modifiedAt}`
  return { files: [...hashes, [claude.path(memory), remembered]], present }
}

/** The project's directory and the directories above it, as paths relative to the project. */
function above(directory: string): string[] {
  const depth = directory.split('/').filter((part) => part !== '').length
  return Array.from({ length: depth + 1 }, (_, index) => (index === 0 ? '.' : Array(index).fill('..').join('/')))
}

function below(name: string, directory: string): string {
  return isAbsolute(name) ? relative(directory, name) : normalize(name)
}

/** The directories on the way from the project's directory to the file, without the project's directory. */
function directoriesTo(file: string): string[] {
  const parts = dirname(file).split('/')
  if (parts[0] === '.' || parts[0] === '..' || parts[0] === '') return []
  return parts.map((_, index) => parts.slice(0, index + 1).join('/'))
}

/**
 * Every `@path` in a text; if such a path names no file, it counts as missing. Undefined if it is not known which file
 * is meant, because the path begins in a home directory, or in the directory of a file that may be a link.
 */
async function includedBy(name: string, text: string, project: Machine['project']): Promise<string[] | undefined> {
  const paths = [...text.matchAll(/(?<![\p{L}\p{N}.+-])@((?:\\ |[^\s])+)/gu)].flatMap(([, path = '']) => {
    const whole = path.replaceAll('\\ ', ' ').replace(/#.*$/, '')
    return [whole, whole.replace(/[^\p{L}\p{N}]+$/u, '')].filter((each) => each !== '' && each.length < 1000)
  })
  if (paths.some((path) => path.startsWith('~'))) return undefined
  if (paths.every((path) => isAbsolute(path))) return paths
  const [state] = (await project.fileStates([name])).files
  if (state === undefined) return undefined
  const from = new Set([dirname(name), dirname(state.name)])
  return paths.flatMap((path) => (isAbsolute(path) ? [path] : [...from].map((each) => join(each, path))))
}
