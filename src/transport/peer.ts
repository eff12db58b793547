import { readdir, readFile, readlink } from 'node:fs/promises'
import type { Socket } from 'node:net'

/**
 * Who holds the other end of a TCP connection of this machine: a process; `unseen`, which is a process of this user that
 * hides, or one that has hung up already; another user's. Undefined where there is no /proc to look into.
 */
export type Peer =
  | { readonly kind: 'process'; readonly pid: number }
  | { readonly kind: 'unseen' }
  | { readonly kind: 'user'; readonly uid: number }
  | undefined

/** Whoever has called once is likely to call again, over a new connection. */
const called: number[] = []
const calledKept = 16

/** The kernel's table is read in pieces: while others connect, a row can be missing from one reading of it. */
const readings = 3

/** Linux only. Reads one table of the kernel, then the open files of processes, the likely ones first. */
export async function peerOf(socket: Pick<Socket, 'localPort' | 'remotePort'>): Promise<Peer> {
  let peer: Peer
  for (let reading = 0; reading < readings; reading += 1) {
    peer = await look(socket)
    if (peer?.kind !== 'unseen') break
  }
  return peer
}

async function look({ localPort, remotePort }: Pick<Socket, 'localPort' | 'remotePort'>): Promise<Peer> {
  if (process.platform !== 'linux' || localPort === undefined || remotePort === undefined) return undefined
  const rows = await readFile('/proc/net/tcp', 'latin1').catch(() => undefined)
  if (rows === undefined) return undefined
  const row = rowBetween(rows, remotePort, localPort)
  if (row === undefined) return { kind: 'unseen' }
  if (row.uid !== process.getuid?.()) return { kind: 'user', uid: row.uid }
  const pid = row.inode === '0' ? undefined : await holderOf(`socket:[${row.inode}]`)
  return pid === undefined ? { kind: 'unseen' } : { kind: 'process', pid }
}

/** ` 3: 0100007F:9C40 0100007F:064F 01 … uid timeout inode …`, ports in hexadecimal. */
function rowBetween(rows: string, local: number, remote: number): { uid: number; inode: string } | undefined {
  const [from, to] = [local, remote].map((port) => `:${port.toString(16).toUpperCase().padStart(4, '0')}`) as [
    string,
    string,
  ]
  for (const row of rows.split('\n')) {
    const fields = row.trim().split(/\s+/)
    if (fields[1]?.endsWith(from) && fields[2]?.endsWith(to)) return { uid: Number(fields[7]), inode: fields[9] ?? '0' }
  }
  return undefined
}

/** The process that has this socket open, `socket:[<inode>]`; undefined when none of ours has. */
export async function holderOf(socket: string): Promise<number | undefined> {
  const living = (await readdir('/proc')).map(Number).filter((pid) => pid > 0)
  // A process that has just been started has a high number.
  for (const pid of [...called, ...living.toSorted((a, b) => b - a)]) {
    if (!(await holds(pid, socket))) continue
    called.splice(0, called.length, pid, ...called.filter((other) => other !== pid).slice(0, calledKept - 1))
    return pid
  }
  return undefined
}

async function holds(pid: number, socket: string): Promise<boolean> {
  const directory = `/proc/${pid}/fd`
  const files = await readdir(directory).catch(() => [])
  const targets = await Promise.all(files.map((file) => readlink(`${directory}/${file}`).catch(() => '')))
  return targets.includes(socket)
}

/** The process and its ancestors, itself first, up to this process or the first one of the system. */
export async function lineageOf(pid: number): Promise<number[]> {
  const lineage: number[] = []
  for (let next = pid; next > 1 && next !== process.pid && !lineage.includes(next); ) {
    lineage.push(next)
    const status = await readFile(`/proc/${next}/stat`, 'latin1').catch(() => '')
    next = Number(status.slice(status.lastIndexOf(')') + 2).split(' ')[1] ?? 0)
  }
  return lineage
}

/** Names the user namespace of a process; a process cannot leave one that it was put into. */
export async function userNamespaceOf(pid: number | 'self'): Promise<string | undefined> {
  return readlink(`/proc/${pid}/ns/user`).catch(() => undefined)
}
