import { readFile } from 'node:fs/promises'

/** An agent may have started any number: so many of them are counted. */
const mostCounted = 200

/**
 * Bytes of memory that a process and all that it started, children of children included, hold now. What they share is
 * counted for each. Undefined when it has gone, and where there is no /proc.
 */
export async function residentBytes(pid: number): Promise<number | undefined> {
  const tree = [pid]
  for (let next = 0; next < tree.length && tree.length < mostCounted; next += 1) {
    tree.push(...(await childrenOf(tree[next]!)))
  }
  const [own, ...others] = await Promise.all(tree.map(bytesOf))
  return own === undefined ? undefined : others.reduce<number>((sum, bytes) => sum + (bytes ?? 0), own)
}

/** Of its main thread, from which Claude Code starts what it starts. */
async function childrenOf(pid: number): Promise<number[]> {
  const children = await readFile(`/proc/${pid}/task/${pid}/children`, 'latin1').catch(() => '')
  return children
    .split(' ')
    .map(Number)
    .filter((child) => child > 0)
}

async function bytesOf(pid: number): Promise<number | undefined> {
  const status = await readFile(`/proc/${pid}/status`, 'latin1').catch(() => '')
  const kilobytes = /^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1]
  return kilobytes === undefined ? undefined : Number(kilobytes) * 1024
}
