import { afterAll } from 'vitest'

const listened = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGCONT', 'SIGWINCH', 'worker', 'uncaughtException', 'beforeExit']

/** What the next file in this process would find. */
function processState(): ReadonlyMap<string, unknown> {
  return new Map<string, unknown>([
    ['umask', process.umask().toString(8)],
    ['directory', process.cwd()],
    ['exit code', process.exitCode],
    ...listened.map((name) => [`listeners of ${name}`, process.listenerCount(name)] as const),
    ...Object.entries(process.env).map(([name, value]) => [`$${name}`, value] as const),
  ])
}

/** Set up before each file of tests. Files share a process: one that changes it fails here, and not the next one. */
const before = processState()
const [umask, environment] = [process.umask(), { ...process.env }]

// What is registered first runs last.
afterAll(() => {
  const after = processState()
  const changed = [...new Set([...before.keys(), ...after.keys()])].filter(
    (what) => before.get(what) !== after.get(what),
  )
  if (changed.length === 0) return
  process.umask(umask)
  for (const name of Object.keys(process.env)) delete process.env[name]
  Object.assign(process.env, environment)
  process.exitCode = undefined
  const shown = changed.map((what) => `${what} was ${String(before.get(what))} and is ${String(after.get(what))}`)
  throw new Error(`This file leaves its process changed: ${shown.join('; ')}.`)
})
