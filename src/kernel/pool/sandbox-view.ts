import { mkdirSync, readdirSync, realpathSync } from 'node:fs'
import { realpath } from 'node:fs/promises'
import { dirname, join, sep } from 'node:path'
import { IrisError } from '../../base/protocol/error.ts'
import { configDirectory } from '../../claude/driver/environment.ts'
import type { TeamConfig } from '../../platform/config/config.ts'
import { isInside } from '../../platform/config/is-inside.ts'
import { identityAt } from '../../platform/machine/identity.ts'
import type { Isolated } from '../../platform/machine/machine.ts'
import { MachineError } from '../../platform/machine/machine-error.ts'
import type { SandboxView } from '../../platform/machine/sandbox.ts'
import { conversationDirectories, memoryOfRepository } from './conversation-directories.ts'

/** Files in Claude Code's directory with its settings and instructions. Everything else there is private. */
const orders = new Set([
  '.claude.json',
  '.config.json',
  'settings.json',
  'settings.local.json',
  'remote-settings.json',
  'policy-limits.json',
  'agents',
  'agent-memory',
  'bin',
  'commands',
  'hooks',
  'output-styles',
  'plugins',
  'rules',
  'scripts',
  'skills',
  'workflows',
])
/** Matches CLAUDE.md, the files that it includes, and the programs that settings name. */
const textOrScript = /\.(md|sh|py|js|mjs|cjs|ts)$/
/** Environment variables that name files for Claude Code. */
const fileVariables = [
  'NODE_EXTRA_CA_CERTS',
  'SSL_CERT_FILE',
  'SSL_CERT_DIR',
  'GOOGLE_APPLICATION_CREDENTIALS',
  'CLAUDE_CODE_CLIENT_CERT',
  'CLAUDE_CODE_CLIENT_KEY',
]

export interface SandboxParts {
  /** Places that are never visible, even inside a visible one. */
  readonly hidden: readonly string[]
  readonly login: SandboxView['copies'][number]
}

/**
 * The files of this machine that a team's sandbox contains. In Claude Code's directory, only the team's conversations
 * and this conversation's tasks are writable. Everything else there is read-only or private to the process, whether or
 * not it exists outside. Throws `isolation_failed`.
 */
export async function sandboxView(
  { realPath }: TeamConfig,
  { executable, env, conversation }: Isolated,
  { hidden, login }: SandboxParts,
): Promise<SandboxView> {
  const home = env['HOME'] ?? '/'
  const config = configDirectory(env)
  const projects = join(config, 'projects')
  const conversations = conversationDirectories(projects, realPath, conversation?.transcript)
  const writable = [
    realPath,
    ...conversations.map((name) => join(projects, name)),
    ...(conversation === undefined ? [] : [made(join(config, 'tasks', conversation.sessionId))]),
  ]
  const memory = memoryOfRepository(projects, realPath)
  const readable = [
    ...(memory === undefined ? [] : [join(projects, memory)]),
    ...namesIn(config).flatMap((name) => (orders.has(name) || textOrScript.test(name) ? [join(config, name)] : [])),
    ...(env['CLAUDE_CONFIG_DIR'] === undefined ? [join(home, '.claude.json')] : []),
    ...fileVariables.flatMap((name) => env[name] ?? []),
    ...programPlaces(executable),
  ]
  const isOpen = (path: string): boolean => !hidden.some((place) => isInside(place, path))
  const [written, read] = await Promise.all([found(writable, isOpen, inPlace), found(readable, isOpen, behindLinks)])
  return {
    directory: realPath,
    home,
    copies: [login],
    empty: [config],
    sealed: [projects],
    writable: written.map(({ path }) => path),
    readable: read.map(({ path }) => path),
    hidden: hidden.filter((place) => [...writable, ...readable].some((seen) => isInside(seen, place))),
    mounted: [...written, ...read],
  }
}

/** Records the identity of each target: other agents can change some of these paths before they are mounted. */
async function found(
  paths: readonly string[],
  isOpen: (path: string) => boolean,
  targetOf: (path: string) => Promise<string>,
): Promise<SandboxView['mounted']> {
  const looked = paths.map(async (path) => {
    try {
      const target = await targetOf(path)
      return isOpen(target) ? [{ path, identity: await identityAt(target) }] : []
    } catch (error) {
      if (error instanceof MachineError) throw new IrisError('isolation_failed', `${error.message}.`, moved)
      mustBeAbsent(error)
      return []
    }
  })
  return (await Promise.all(looked)).flat()
}

/**
 * Errors after which it is unknown whether a file exists. Treated as absent, an existing file would be missing in the
 * sandbox, for example a transcript or a list of denied commands.
 */
const couldNotLook = new Set(['EMFILE', 'ENFILE', 'ENOMEM', 'EIO'])

function mustBeAbsent(error: unknown): void {
  const { code = '', message } = error as NodeJS.ErrnoException
  if (!couldNotLook.has(code)) return
  throw new IrisError(
    'isolation_failed',
    `Iris could not look for the files of the sandbox: ${message}.`,
    'Send the message again.',
  )
}

const moved = 'Replace the link with the directory. If it was just moved, try again.'

/** For writable places, which must be directories, not links. */
const inPlace = async (path: string): Promise<string> => path

/** For readable places, which may be links that a person created. */
const behindLinks = (path: string): Promise<string> => realpath(path)

function namesIn(directory: string): string[] {
  try {
    return readdirSync(directory)
  } catch (error) {
    mustBeAbsent(error)
    return []
  }
}

function made(directory: string): string {
  mkdirSync(directory, { recursive: true, mode: 0o700 })
  return directory
}

/** The places of a program and its packages. For programs that are scripts, also the places of Node. */
function programPlaces(executable: string): string[] {
  const path = realpathSync(executable)
  const modules = path.indexOf(`${sep}node_modules${sep}`)
  return [modules < 0 ? path : path.slice(0, modules + sep.length + 'node_modules'.length), dirname(process.execPath)]
}
