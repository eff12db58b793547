import { closeSync, openSync, readdirSync, readFileSync, readSync } from 'node:fs'
import { performance } from 'node:perf_hooks'
import { setTimeout as delay, setImmediate as nextTurn } from 'node:timers/promises'
import { tagIn } from '../../src/platform/machine/process-tag.ts'
import { deadlineMs, WaitRanOut } from './eventually.ts'
import { allAnswered } from './link-traffic.ts'

/** The kernel's data about a thread: its line of `stat`, and how often and how long it ran. */
interface Thread {
  readonly pid: number
  readonly stat: string
  readonly ran: string
}

interface ThreadFiles {
  readonly stat: number
  readonly ran: number
}

/** Opened once for each thread, since that takes most of a look. */
const opened = new Map<number, ThreadFiles>()
const page = Buffer.alloc(1024)

/** Whether a process belongs to this one, for as long as it lives. */
const belongs = new Map<number, boolean>()
/** Tags of the Irises that this process runs: of their processes, some are nobody's children. */
const tags = new Set<string>()
/** The threads as they were when all was at rest last. */
let atLast = ''
/** How many idle turns of the event loop in a row count as rest. */
const quietTurns = 3

/** Processes of an Iris with this tag count as started by this process. Returns a function that ends that. */
export function countsAsOwn(tag: string): () => void {
  tags.add(tag)
  return () => tags.delete(tag)
}

/**
 * Resolves when nothing happens by itself any more: no callback waits in this process, no other machine owes it an answer,
 * and all threads of it and of every process it started sleep, and have not run since they were looked at last. The kernel
 * says that; no process has to cooperate. Browsers do not count: they never rest. Fails after `withinMs`, and names what ran.
 */
export async function atRest(withinMs = deadlineMs): Promise<void> {
  const late = performance.now() + withinMs
  for (let before = atLast; ; ) {
    await allAnswered()
    await drained()
    const threads = ownThreads()
    const busy = threads.filter(isBusy)
    const now = threads.map(({ pid, ran }) => `${pid} ${ran}`).join('')
    if (busy.length === 0 && now === before) return void (atLast = now)
    before = busy.length === 0 ? now : ''
    if (performance.now() > late) {
      const names = busy.map(nameOf).join('; ') || 'threads that wake up all the time'
      throw new WaitRanOut(`not at rest within ${withinMs} ms: ${names}`)
    }
    await delay(1)
  }
}

/** Runs what the event loop has ready, and what follows from it. */
async function drained(): Promise<void> {
  for (let quiet = 0; quiet < quietTurns; ) {
    const { events } = performance.nodeTiming.uvMetricsInfo
    await nextTurn()
    const brought = performance.nodeTiming.uvMetricsInfo.events - events
    quiet = brought === 0 && !process.getActiveResourcesInfo().includes('Immediate') ? quiet + 1 : 0
  }
}

/** Threads of this process but its main one, and those of the processes that belong to it. */
function ownThreads(): Thread[] {
  const pids = readdirSync('/proc').map(Number).filter(Boolean)
  const living = new Set(pids)
  for (const pid of belongs.keys()) if (!living.has(pid)) belongs.delete(pid)
  const tids = pids
    .filter((pid) => pid === process.pid || (isOwn(pid) && !read(`/proc/${pid}/comm`).startsWith('chrom')))
    .flatMap((pid) => threadsOf(pid).map((tid) => [pid, tid] as const))
    .filter(([, tid]) => tid !== process.pid)
  const known = new Set(tids.map(([, tid]) => tid))
  for (const [tid, files] of opened) if (!known.has(tid)) close(tid, files)
  return tids.flatMap(([pid, tid]) => threadOf(pid, tid) ?? [])
}

function isOwn(pid: number): boolean {
  const known = belongs.get(pid)
  if (known !== undefined) return known
  const parent = Number(wordsOf(read(`/proc/${pid}/stat`))[1])
  const tag = tagIn(read(`/proc/${pid}/environ`))
  const isTagged = tag !== undefined && [...tags].some((each) => tag === each || tag.startsWith(`${each}.`))
  const is = isTagged || parent === process.pid || (parent > 1 && isOwn(parent))
  belongs.set(pid, is)
  return is
}

function threadsOf(pid: number): number[] {
  try {
    return readdirSync(`/proc/${pid}/task`).map(Number)
  } catch {
    return []
  }
}

function threadOf(pid: number, tid: number): Thread | undefined {
  try {
    const files = opened.get(tid) ?? open(pid, tid)
    return { pid, stat: textOf(files.stat), ran: textOf(files.ran) }
  } catch {
    const files = opened.get(tid)
    if (files !== undefined) close(tid, files)
    return undefined
  }
}

function open(pid: number, tid: number): ThreadFiles {
  const stat = openSync(`/proc/${pid}/task/${tid}/stat`, 'r')
  const files = { stat, ran: openSync(`/proc/${pid}/task/${tid}/schedstat`, 'r') }
  opened.set(tid, files)
  return files
}

function close(tid: number, { stat, ran }: ThreadFiles): void {
  opened.delete(tid)
  for (const file of [stat, ran]) closeSync(file)
}

function textOf(file: number): string {
  return page.toString('latin1', 0, readSync(file, page, 0, page.length, 0))
}

function isBusy({ stat }: Thread): boolean {
  return !['S', 'I', 'Z', 'T', 'X'].includes(wordsOf(stat)[0] ?? 'X')
}

function nameOf({ pid, stat }: Thread): string {
  const command = read(`/proc/${pid}/cmdline`).replaceAll('\0', ' ').slice(0, 80)
  return `${stat.slice(stat.indexOf('(') + 1, stat.lastIndexOf(')'))} (${wordsOf(stat)[0]}) of ${pid}, ${command}`
}

/** The fields after the name in a line of `stat`: the state, the parent and more. */
function wordsOf(stat: string): string[] {
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ', 2)
}

function read(path: string): string {
  try {
    return readFileSync(path, 'latin1')
  } catch {
    return ''
  }
}
