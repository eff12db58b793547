import { afterAll } from 'vitest'

const listened = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGCONT', 'SIGWINCH', 'worker', 'uncaughtException', 'beforeExit']

/** What the next file in this process would find. */
function processState(): Readonly<Record<string, unknown>> {
  return {
    umask: process.umask().toString(8),
    directory: process.cwd(),
    environment: { ...process.env },
    listeners: Object.fromEntries(listened.map((name) => [name, process.listenerCount(name)])),
    exitCode: process.exitCode,
  }
}

/** Set up before each file of tests. Files share a process: one that changes it puts it back, or fails here and not in the next file. */
const before = processState()
const umask = process.umask()

// What is registered first runs last.
afterAll(() => {
  const after = processState()
  const changed = Object.keys(before).filter((what) => JSON.stringify(before[what]) !== JSON.stringify(after[what]))
  if (changed.length === 0) return
  process.umask(umask)
  for (const name of Object.keys(process.env)) delete process.env[name]
  Object.assign(process.env, before['environment'])
  process.exitCode = undefined
  const show = (state: Readonly<Record<string, unknown>>): string =>
    changed.map((what) => JSON.stringify(state[what])).join(', ')
  throw new Error(`This file leaves its process changed: ${changed.join(', ')}: ${show(before)} became ${show(after)}.`)
})
