import { spawn } from 'node:child_process'
import { closeSync, fstatSync, openSync, readSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { makeDirectory } from '../../base/lib/make-directory.ts'
import { notPlain } from '../../base/lib/plain-file.ts'
import { withPath } from '../../base/lib/replace-file.ts'
import { type Environment, homePaths } from '../../platform/config/home.ts'

const isCheckout = import.meta.url.endsWith('.ts')

/** The program itself: TypeScript in a checkout, JavaScript where it is installed. */
export const mainFile = fileURLToPath(new URL(isCheckout ? '../../main.ts' : '../../main.js', import.meta.url))

/**
 * The same options as in `iris`. They save memory, because a daemon is mostly idle: V8's default young generation would
 * keep 30 MiB more, the TypeScript stripper 17 MiB. By default V8 lets the heap grow to several times the live data
 * before a full collection, so a busy daemon would grow with each thousand turns; the limit makes V8 collect sooner.
 */
export const nodeOptions: readonly string[] = [
  // With SIGUSR1, any process of the same user, which includes agents, could open a debugger in the daemon.
  '--disable-sigusr1',
  '--max-semi-space-size=2',
  '--heap-growing-percent=30',
  ...(isCheckout ? ['--require', fileURLToPath(new URL('../../../scripts/compile-cache.cjs', import.meta.url))] : []),
]

/** Arguments of Node for a command of Iris. */
export function nodeArguments(...words: readonly string[]): string[] {
  return [...nodeOptions, mainFile, ...words]
}

/** A daemon that was started in the background. */
export interface StartedDaemon {
  /** Its exit code, or why it could not be started; undefined while it runs. */
  readonly end: () => number | string | undefined
  /** The first 64 KB of its output so far. */
  readonly said: () => string
  readonly stop: () => void
}

/** Starts `iris start` so that it outlives this process; its output goes to the log in IRIS_HOME. */
export function spawnDaemon(home: string, env: Environment): StartedDaemon {
  const { log } = homePaths(home)
  makeDirectory(dirname(log))
  refuseFullDisk(log)
  refusePipe(log)
  const file = openSync(log, 'a', 0o600)
  const begin = fstatSync(file).size
  let end: number | string | undefined
  const child = spawn(process.execPath, nodeArguments('start'), {
    // The daemon would otherwise keep the caller's directory in use.
    cwd: home,
    env: daemonEnvironment(home, env),
    detached: true,
    stdio: ['ignore', file, file],
  })
  closeSync(file)
  child.on('error', (error) => (end = error.message))
  child.on('exit', (code, signal) => (end = code ?? `ended by ${signal}`))
  child.unref()
  return { end: () => end, said: () => readFrom(log, begin), stop: () => void child.kill() }
}

/** Opening a named pipe would wait for its reader. Throws ENOTSUP. */
function refusePipe(log: string): void {
  if (statSync(log, { throwIfNoEntry: false })?.isFIFO() === true) throw notPlain(log)
}

/** A daemon on a full disk ends without a word, because its log is on that disk too. Throws ENOSPC. */
function refuseFullDisk(log: string): void {
  const probe = `${log}.probe`
  try {
    writeFileSync(probe, Buffer.alloc(4096), { mode: 0o600 })
  } catch (error) {
    throw withPath(error, log)
  } finally {
    rmSync(probe, { force: true })
  }
}

function readFrom(path: string, begin: number): string {
  const file = openSync(path, 'r')
  try {
    const buffer = Buffer.alloc(64 * 1024)
    return buffer.toString('utf8', 0, readSync(file, buffer, 0, buffer.length, begin))
  } finally {
    closeSync(file)
  }
}

/** Options that open a debugger; some of them also wait for it. */
const debugging = /(^|\s)--inspect(?:-brk|-wait)?(?:=\S*)?(?=\s|$)/g

/** Variables that a console, an editor or an agent gave this process, which a daemon must not inherit. */
const notForTheDaemon =
  /^(IRIS_PROCESS|VSCODE_INSPECTOR_OPTIONS|CLAUDECODE|CLAUDE_PROJECT_DIR|CLAUDE_CODE_(SESSION_ID|ENTRYPOINT|(MESSAGING|CHILD|LAUNCHED_BY)_\w+))$/

export function daemonEnvironment(home: string, env: Environment): Record<string, string> {
  const kept: Record<string, string> = {}
  for (const [name, value] of Object.entries(env)) {
    if (value === undefined || notForTheDaemon.test(name)) continue
    kept[name] = name === 'NODE_OPTIONS' ? value.replace(debugging, '$1') : value
  }
  return { ...kept, IRIS_HOME: home }
}
