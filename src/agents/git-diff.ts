import { execFile } from 'node:child_process'
import { isInside } from '../config/inside.ts'
import type { ProjectReader } from './project-reader.ts'

const mostBytes = 1_048_576
const timeoutMs = 5000

/**
 * What is not committed in the project's directory, not in the repository around it; undefined where that cannot be
 * told. Nothing that the repository names as a program is run: what an agent wrote into `.git/config` must not become
 * a command of the daemon.
 */
export async function readGitDiff(reader: ProjectReader): Promise<string | undefined> {
  const diff = await diffOf(reader.directory)
  if (typeof diff !== 'string') {
    reader.warnings.push(`There is no git diff: ${diff.problem}.`)
    return undefined
  }
  if (Buffer.byteLength(diff) >= mostBytes) reader.warnings.push(`The git diff is cut: it has over ${mostBytes} bytes.`)
  return diff
}

async function diffOf(directory: string): Promise<string | { readonly problem: string }> {
  const top = await git(directory, ['rev-parse', '--show-toplevel'])
  if (top.end !== 'ok') return top
  if (!isInside(top.output.replace(/\n$/, ''), directory)) return { problem: 'the work tree is elsewhere' }
  const filters = await git(directory, ['config', '--name-only', '-z', '--get-regexp', '^filter\\.'])
  // With exit code 1 it says that there are none. A list that is not whole would let one through.
  if (filters.end !== 'ok' && filters.end !== 1) return { problem: 'its configuration cannot be read' }
  const diff = await git(directory, diffCommand, withoutFilters(filters.output.split('\0')))
  return diff.end === 'ok' || diff.end === 'cut' ? diff.output : diff
}

const diffCommand = [
  '-c',
  'core.fsmonitor=false',
  // Else git notes in its index what it found unchanged, and calls a hook.
  '-c',
  'diff.autoRefreshIndex=false',
  'diff',
  '--no-ext-diff',
  '--no-textconv',
  '--no-color',
  '--submodule=short',
  '--ignore-submodules=dirty',
  '--relative',
  'HEAD',
  '--',
]

/** A filter is a program that git pipes changed files through. No flag leaves it out, an empty setting does. */
function withoutFilters(keys: readonly string[]): Record<string, string> {
  const settings = keys.filter((key) => /\.(?:clean|process|required)$/.test(key))
  const pairs = settings.flatMap((key, index) => [
    [`GIT_CONFIG_KEY_${index}`, key],
    [`GIT_CONFIG_VALUE_${index}`, ''],
  ])
  return { ...Object.fromEntries(pairs), GIT_CONFIG_COUNT: String(settings.length) }
}

interface Ended {
  /** Or the exit code; undefined when it did not start, or took too long. */
  readonly end: 'ok' | 'cut' | number | undefined
  readonly output: string
  readonly problem: string
}

function git(cwd: string, args: readonly string[], more: Readonly<Record<string, string>> = {}): Promise<Ended> {
  const env = {
    PATH: process.env['PATH'] ?? '',
    HOME: '/nonexistent',
    LC_ALL: 'C',
    GIT_CONFIG_NOSYSTEM: '1',
    // What a partial clone lacks would be fetched, by a command of its choice.
    GIT_ALLOW_PROTOCOL: 'none',
    GIT_TERMINAL_PROMPT: '0',
    ...more,
  }
  const options = { cwd, env, timeout: timeoutMs, maxBuffer: mostBytes, killSignal: 'SIGKILL' } as const
  return new Promise((resolve) => {
    execFile('git', ['--no-pager', ...args], options, (error, output, stderr) =>
      resolve({ end: endOf(error), output, problem: problemOf(error, stderr) }),
    )
  })
}

function endOf(error: { code?: unknown } | null): Ended['end'] {
  if (error === null) return 'ok'
  if (error.code === 'ERR_CHILD_PROCESS_STDIO_MAXBUFFER') return 'cut'
  return typeof error.code === 'number' ? error.code : undefined
}

function problemOf(error: { code?: unknown; killed?: boolean } | null, stderr: string): string {
  if (error?.code === 'ENOENT') return 'git is not installed'
  if (error?.killed) return `git took over ${timeoutMs} ms`
  const said = stderr
    .split('\n', 1)[0]!
    .replace(/^fatal: /, '')
    .replace(/\.$/, '')
  return said.slice(0, 200) || 'git failed'
}
