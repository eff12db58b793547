import { dirname, isAbsolute, join, normalize, relative } from 'node:path'
import { isRecord } from '../../base/lib/is-record.ts'
import { sha256 } from '../../base/lib/sha256.ts'
import type { Machine } from '../../platform/machine/machine.ts'
import type { KeptFile } from '../../platform/store/kept-answers.ts'

/** Claude Code reads these in the project, above it, and in each of its directories in which it reads a file. */
const inDirectory = [
  'CLAUDE.md',
  'CLAUDE.local.md',
  'AGENTS.md',
  '.claude/CLAUDE.md',
  '.claude/AGENTS.md',
  '.mcp.json',
] as const
/** `HEAD` names the branch, which Claude Code tells the model. */
const inProject = ['.claude/settings.json', '.claude/settings.local.json', '.git/HEAD']
/** Directories of the machine's owner. */
const managed = ['/etc/claude-code', '/Library/Application Support/ClaudeCode']
const inManaged = ['CLAUDE.md', 'managed-settings.json', 'managed-mcp.json']
const inClaude = ['CLAUDE.md', 'settings.json', 'settings.local.json']
/** Directories whose files Claude Code reads by themselves. Iris does not list them: with one, nothing is kept. */
const rules = '.claude/rules'
const notRead = managed.flatMap((each) => [`${each}/${rules}`, `${each}/managed-settings.d`])

const mostBytes = 256 * 1024
const mostFiles = 200

/** What instructs an agent besides its settings in Iris. */
export interface Instructions {
  /** By name, also those that are missing. */
  readonly files: readonly KeptFile[]
  /** The names of those that are there, for `lastChange`. */
  readonly present: readonly string[]
}

/**
 * The files that Claude Code reads by itself for a project at `directory` and a turn that read the files `used`, with
 * what they include by `@path`. Undefined: not all of them are known.
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
    if (hashes.size + names.length > mostFiles) return undefined
    const texts = await Promise.all(names.map((name) => read(name, mostBytes)))
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

function isSettings(name: string): boolean {
  return /settings(\.local)?\.json$/.test(name)
}

/** Events whose hooks a turn that only reads does not cause, or whose output no model gets. */
const harmlessHooks: ReadonlySet<string> = new Set([
  ...['Notification', 'SessionEnd', 'PreCompact', 'PostCompact', 'PermissionRequest', 'PermissionDenied'],
  ...['SubagentStart', 'SubagentStop', 'TaskCreated', 'TaskCompleted', 'ConfigChange', 'FileChanged'],
  ...['WorktreeCreate', 'WorktreeRemove', 'PostToolUseFailure', 'StopFailure'],
])
const ofTools: ReadonlySet<string> = new Set(['PreToolUse', 'PostToolUse'])
/** Settings with which the model is told what no file here says: by plugins, a style, an agent, or a memory elsewhere. */
const tellMore = ['outputStyle', 'agent', 'autoMemoryDirectory']

/** Whether these settings put text before the model that may be another one each time. */
function addsUnknown(text: string): boolean {
  const settings = parsed(text)
  if (settings === undefined || tellMore.some((key) => settings[key] !== undefined)) return true
  const plugins = isRecord(settings['enabledPlugins']) ? settings['enabledPlugins'] : {}
  if (Object.values(plugins).some((value) => value !== false)) return true
  const hooks = isRecord(settings['hooks']) ? settings['hooks'] : {}
  return Object.entries(hooks).some(([event, groups]) => {
    if (harmlessHooks.has(event) || !Array.isArray(groups)) return false
    return groups.some((group) => !ofTools.has(event) || !isRecord(group) || concernsReading(group['matcher']))
  })
}

/** A matcher that is not a plain list of other tools may mean Read as well. */
function concernsReading(matcher: unknown): boolean {
  return typeof matcher !== 'string' || !/^\w+(\|\w+)*$/.test(matcher) || matcher.split('|').includes('Read')
}

/** Undefined: Claude Code may read it in its own way. */
function parsed(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return isRecord(value) ? value : undefined
  } catch {
    return undefined
  }
}

/** The project's directory and those above it, as paths from the project. */
function above(directory: string): string[] {
  const depth = directory.split('/').filter((part) => part !== '').length
  return Array.from({ length: depth + 1 }, (_, index) => (index === 0 ? '.' : Array(index).fill('..').join('/')))
}

function below(name: string, directory: string): string {
  return isAbsolute(name) ? relative(directory, name) : normalize(name)
}

/** The directories between the project's own and the file's, without the former. */
function directoriesTo(file: string): string[] {
  const parts = dirname(file).split('/')
  if (parts[0] === '.' || parts[0] === '..' || parts[0] === '') return []
  return parts.map((_, index) => parts.slice(0, index + 1).join('/'))
}

/**
 * What looks like `@path`; a path that names nothing counts as missing. Undefined: it is not known which file is meant,
 * because the path begins at a home, or at the directory of a file that may be a link.
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
