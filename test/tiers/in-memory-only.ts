import childProcess from 'node:child_process'
import { syncBuiltinESMExports } from 'node:module'
import net from 'node:net'
import { afterAll, aroundEach } from 'vitest'
import { Refusals } from './refusals.ts'

/** Of the process, which files share: modules keep the functions that they imported when an earlier file ran. */
const ofProcess = globalThis as { refusals?: Refusals }

/** Nobody else would report it: Vitest fails the run for it, and no other test. */
function reportLate(error: Error): void {
  void Promise.reject(error)
}

/** The simulation starts the fake once for its version; its processes are simulated. */
function isAllowed(args: readonly unknown[]): boolean {
  return String(args[0]).endsWith('/test/fake-claude/fake-claude') && String(args[1]) === '--version'
}

const starters = ['exec', 'execFile', 'execFileSync', 'execSync', 'fork', 'spawn', 'spawnSync'] as const

function refuseOutside(): Refusals {
  const made = new Refusals(reportLate)
  for (const name of starters) {
    const start = childProcess[name] as (...args: unknown[]) => unknown
    const refusing = (...args: unknown[]): unknown =>
      isAllowed(args) ? start(...args) : made.refuse(`start a process: ${name} ${String(args[0])}`)
    Object.assign(childProcess, { [name]: refusing })
  }
  Object.assign(net.Server.prototype, { listen: () => made.refuse('listen') })
  Object.assign(net.Socket.prototype, { connect: () => made.refuse('connect') })
  syncBuiltinESMExports()
  return made
}

/** Set up before each file of the fast tier: whatever a test of it starts, listens on or connects to is refused, and fails the test. */
export const refusals = (ofProcess.refusals ??= refuseOutside())

aroundEach((runTest, { task }) => refusals.during(task.fullName, runTest))
afterAll(() => refusals.failIfAny())
