import { mkdirSync, readdirSync, realpathSync } from 'node:fs'
import { dirname, join, sep } from 'node:path'
import { configDirectory } from '../claude/environment.ts'
import type { TeamConfig } from '../config/config.ts'
import { isInside } from '../config/inside.ts'
import type { Isolated } from '../machine/machine.ts'
import type { SandboxView } from '../machine/sandbox.ts'
import { conversationDirectories, memoryOfRepository } from './conversation-directories.ts'

/** Of the directory of Claude Code: what it takes settings and instructions from. All else in there is private. */
const orders = new Set([
  ...[
    '.claude.json',
    '.config.json',
    'settings.json',
    'settings.local.json',
    'remote-settings.json',
    'policy-limits.json',
  ],
  ...['agents', 'agent-memory', 'bin', 'commands', 'hooks', 'output-styles', 'plugins', 'rules', 'scripts', 'skills'],
  'workflows',
])
/** CLAUDE.md, what it includes, and the programs that settings name. */
const textOrScript = /\.(md|sh|py|js|mjs|cjs|ts)$/
/** Files that Claude Code is told of by its environment. */
const fileVariables = ['NODE_EXTRA_CA_CERTS', 'SSL_CERT_FILE', 'SSL_CERT_DIR', 'GOOGLE_APPLICATION_CREDENTIALS']

export interface SandboxParts {
  /** Places of which nothing is seen, also where they lie inside of what is. */
  readonly hidden: readonly string[]
  readonly login: SandboxView['copies'][number]
}

/**
 * What of the machine there is for a team in its sandbox. Of Claude Code's directory only the team's conversations can be
 * written to: everything else is private to the process, or can only be read, whether it exists outside or not.
 */
export function sandboxView(
  { realPath }: TeamConfig,
  { executable, env, conversation }: Isolated,
  { hidden, login }: SandboxParts,
): SandboxView {
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
  const isOpen = (path: string): boolean => !hidden.some((place) => isInside(place, real(path)))
  return {
    ...{ directory: realPath, home, copies: [login], empty: [config], sealed: [projects] },
    // Others can put a link to what is hidden among what is read.
    ...{ writable: writable.filter(isOpen), readable: readable.filter(isOpen) },
    hidden: hidden.filter((place) => [...writable, ...readable].some((seen) => isInside(seen, place))),
  }
}

function real(path: string): string {
  try {
    return realpathSync(path)
  } catch {
    return path
  }
}

function namesIn(directory: string): string[] {
  try {
    return readdirSync(directory)
  } catch {
    return []
  }
}

function made(directory: string): string {
  mkdirSync(directory, { recursive: true, mode: 0o700 })
  return directory
}

/** Where a program and what it brings along lie; and Node, for those that are scripts. */
function programPlaces(executable: string): string[] {
  const path = realpathSync(executable)
  const modules = path.indexOf(`${sep}node_modules${sep}`)
  return [modules < 0 ? path : path.slice(0, modules + sep.length + 'node_modules'.length), dirname(process.execPath)]
}
