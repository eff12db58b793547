import childProcess from 'node:child_process'
import { syncBuiltinESMExports } from 'node:module'
import net from 'node:net'
import { afterEach } from 'vitest'

/**
 * Set up before each file of the fast tier. It refuses to start a process, to listen and to connect. A refusal fails the
 * test, even where the code under test catches it.
 */
const refused: string[] = []

function refuse(what: string): never {
  refused.push(what)
  throw new Error(`A test of the fast tier must not ${what}.`)
}

/** The simulation starts the fake once for its version; its processes are simulated. */
function isAllowed(args: readonly unknown[]): boolean {
  return String(args[0]).endsWith('/test/fake-claude/fake-claude') && String(args[1]) === '--version'
}

const starters = ['exec', 'execFile', 'execFileSync', 'execSync', 'fork', 'spawn', 'spawnSync'] as const
for (const name of starters) {
  const start = childProcess[name] as (...args: unknown[]) => unknown
  const refusing = (...args: unknown[]): unknown =>
    isAllowed(args) ? start(...args) : refuse(`start a process: ${name} ${String(args[0])}`)
  Object.assign(childProcess, { [name]: refusing })
}

Object.assign(net.Server.prototype, { listen: () => refuse('listen') })
Object.assign(net.Socket.prototype, { connect: () => refuse('connect') })
syncBuiltinESMExports()

/** What was refused since it was asked last. */
export function takeRefused(): readonly string[] {
  return refused.splice(0)
}

afterEach(() => {
  const calls = takeRefused()
  if (calls.length > 0) throw new Error(`A test of the fast tier must not ${calls.join(', ')}.`)
})
