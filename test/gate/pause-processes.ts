/**
 * Pauses processes that a test run starts, one after the other and for a random time, until its parent ends: what usually happens in
 * one order happens in the other. Arguments: the process that runs the tests, and a seed. Linux only.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { picker } from '../property/random.ts'
import { networkOf, ownNetwork } from './own-network.ts'

const maxMs = 400
const parent = Number(process.argv[2])
const random = picker(Number(process.argv[3]))
const network = ownNetwork()
let paused: number | undefined

process.on('exit', resume)
for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, () => process.exit(0))

while (process.ppid === parent) {
  const pids = startedByTests()
  for (let times = 0; times < 20 && process.ppid === parent; times += 1) {
    // The newest ones more often: they are what a test has just started.
    const pid = pids[pids.length - 1 - Math.min(random(pids.length || 1), random(pids.length || 1))]
    if (pid !== undefined && stateOf(pid)?.state !== 'T' && signalled(pid, 'SIGSTOP')) {
      paused = pid
      await sleep(1 + Math.min(random(maxMs), random(maxMs)))
      resume()
    }
    await sleep(random(20))
  }
}

function resume(): void {
  if (paused !== undefined) signalled(paused, 'SIGCONT')
  paused = undefined
}

/** In the order of their pids; without the test run itself, which is a child. A process that has lost its parent is known by the network. */
function startedByTests(): number[] {
  const parents = new Map<number, number>()
  for (const name of readdirSync('/proc')) {
    const pid = Number(name)
    const stat = pid > 1 ? stateOf(pid) : undefined
    if (stat) parents.set(pid, stat.parent)
  }
  const descends = (pid: number): boolean => {
    for (let at = parents.get(pid); at !== undefined && at > 1; at = parents.get(at)) if (at === parent) return true
    return false
  }
  const own = [parent, process.ppid, process.pid]
  return [...parents.keys()].filter((pid) => {
    if (own.includes(pid) || parents.get(pid) === parent) return false
    // `script`, which gives a test its terminal, stops for good when its child stops.
    if (nameOf(parents.get(pid)!) === 'script') return false
    return descends(pid) || (network !== undefined && parents.get(pid) === 1 && networkOf(pid) === network)
  })
}

/** Undefined for a process that has ended. */
function stateOf(pid: number): { readonly state: string; readonly parent: number } | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1')
    const [state = '', above] = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    return { state, parent: Number(above) }
  } catch {
    return undefined
  }
}

function nameOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/comm`, 'utf8').trim()
  } catch {
    return ''
  }
}

function signalled(pid: number, signal: NodeJS.Signals): boolean {
  try {
    return process.kill(pid, signal)
  } catch {
    return false
  }
}
