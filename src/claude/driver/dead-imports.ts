import { dirname, isAbsolute, join, resolve } from 'node:path'
import type { SetupProblem } from '../../features/teams/contract.ts'
import { isInside } from '../../platform/config/is-inside.ts'
import { importsIn } from './instruction-imports.ts'

/** How deeply imports may be nested, as in Claude Code. */
const deepestImport = 5
const maxFiles = 200
const maxLooks = 1000
/** Maximum size in bytes of an instructions file; longer files are not searched for imports. */
export const maxOfInstructions = 256 * 1024

const inProject = ['CLAUDE.md', '.claude/CLAUDE.md', 'CLAUDE.local.md']

/** The content at an absolute path; `unread`: not a text file, or too long. */
export type ReadInstructions = (path: string) => Promise<{ readonly text: string } | 'absent' | 'unread'>

export interface InstructionPlaces {
  /** The project's real path. */
  readonly directory: string
  readonly home: string
  readonly configDirectory: string
}

/** The absolute paths of the instructions files that a process of the project reads first. */
export function instructionFiles({ directory, configDirectory }: Omit<InstructionPlaces, 'home'>): readonly string[] {
  return [...inProject.map((name) => join(directory, name)), join(configDirectory, 'CLAUDE.md')]
}

/**
 * The direct and nested imports in a project's instructions that Claude Code silently ignores. `mayLeave`: whether the
 * project's instructions may import from outside the project; called only if they do.
 */
export async function deadImports(
  places: InstructionPlaces,
  read: ReadInstructions,
  mayLeave: () => Promise<boolean>,
): Promise<readonly SetupProblem[]> {
  const looks = new Map<string, ReturnType<ReadInstructions>>()
  const look: ReadInstructions = (path) => {
    const known = looks.get(path) ?? (looks.size < maxLooks ? read(path) : Promise.resolve('unread' as const))
    looks.set(path, known)
    return known
  }
  const [own, users] = [instructionFiles(places).slice(0, -1), instructionFiles(places).slice(-1)]
  let leaves: Promise<boolean> | undefined
  const isRead = async (path: string): Promise<boolean> => isInside(places.directory, path) || (leaves ??= mayLeave())
  return [
    ...(await deadFrom(own, places.home, look, isRead)),
    ...(await deadFrom(users, places.home, look, async () => true)),
  ]
}

async function deadFrom(
  instructions: readonly string[],
  home: string,
  look: ReadInstructions,
  isRead: (path: string) => Promise<boolean>,
): Promise<readonly SetupProblem[]> {
  const seen = new Set<string>()
  const dead = new Set<string>()
  let files = instructions
  for (let depth = 0; depth <= deepestImport && seen.size < maxFiles; depth += 1) {
    const imported: string[] = []
    for (const file of files) {
      if (seen.has(file) || seen.size >= maxFiles) continue
      seen.add(file)
      const found = await look(file)
      for (const { path, meant } of typeof found === 'string' ? [] : importsIn(found.text)) {
        const [target, wanted] = [path, meant].map((each) => targetOf(each, file, home)) as [string, string]
        const isThere = (await look(target)) !== 'absent'
        if (isThere && (await isRead(target))) imported.push(target)
        else {
          const isSpoilt = !isThere && (await look(wanted)) !== 'absent'
          const why = isThere ? outside : isSpoilt ? punctuated(path.slice(meant.length)) : absent
          dead.add(`${file} imports @${meant}, ${why}`)
        }
      }
    }
    files = imported
  }
  return [...dead].map((text) => ({ kind: 'import', text }))
}

const absent = 'and there is no such file.'
const punctuated = (mark: string): string => `and Claude Code takes the "${mark}" after it for a part of the path.`
const outside =
  'which is outside of the project. Claude Code does not read it until you allow that in a terminal, where claude asks.'

function targetOf(path: string, file: string, home: string): string {
  if (path.startsWith('~/')) return join(home, path.slice(2))
  return isAbsolute(path) ? resolve(path) : resolve(dirname(file), path)
}
