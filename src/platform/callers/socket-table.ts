import { closeSync, openSync, readSync } from 'node:fs'
import { isIPv4 } from 'node:net'
import { endianness } from 'node:os'
import { setImmediate as nextTurn } from 'node:timers/promises'

/** The two ends of a TCP connection, from the point of view of the process at one end. */
export interface Ends {
  readonly localAddress?: string | undefined
  readonly localPort?: number | undefined
  readonly remoteAddress?: string | undefined
  readonly remotePort?: number | undefined
}

/** One end of a connection in the kernel's table. */
export interface SocketRow {
  readonly uid: number
  /** `0`: no process has the socket open any more. */
  readonly inode: string
}

/** The most rows that one read returns: the kernel fills a page at a time. */
const rowsAPage = 27
const rowBytes = 150
/** Yields after this many rows, so that other work can run. */
const rowsAtOnce = 250

/**
 * Finds the other ends of connections in the kernel's table of TCP sockets (`/proc/net/tcp` or `/proc/net/tcp6`), by
 * both addresses and both ports. Resolves to the rows in the order of `connections`, or to undefined if there is no
 * such table. Rejects if the table cannot be read. To produce the table, the kernel walks all its buckets, which takes
 * about 3 ms even with few sockets, but the kernel pauses when a read's buffer is full. So this function reads a few
 * rows at a time and stops once it has found every connection, which on average halves the walk.
 */
export async function otherEndsIn(
  file: string,
  connections: readonly Ends[],
): Promise<readonly (SocketRow | undefined)[] | undefined> {
  const wanted = connections.map(nameOfOtherEnd)
  const missing = new Set(wanted)
  const found = new Map<string, SocketRow>()
  const table = opened(file)
  if (table === undefined) return undefined
  try {
    const page = Buffer.alloc(rowBytes * rowsAPage)
    // In a long table, more rows per read cost the kernel little.
    const read = (): number =>
      readSync(table, page, 0, rowBytes * Math.min(rowsAPage, Math.max(connections.length, rows >> 3)), null)
    let [rest, rows, paused] = ['', 0, 0]
    while (missing.size > 0) {
      const bytes = read()
      if (bytes === 0) break
      const lines = (rest + page.toString('latin1', 0, bytes)).split('\n')
      rest = lines.pop()!
      for (const line of lines) {
        const name = nameIn(line)
        if (missing.delete(name)) found.set(name, rowIn(line))
      }
      rows += lines.length
      if (rows - paused < rowsAtOnce) continue
      paused = rows
      await nextTurn()
    }
  } finally {
    closeSync(table)
  }
  return wanted.map((name) => found.get(name))
}

/**
 * Undefined only if the table does not exist. Any other error throws: an agent may have used up the daemon's
 * descriptors.
 */
function opened(file: string): number | undefined {
  try {
    return openSync(file, 'r')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}

/** The ends of a connection, as the row of its other end shows them. */
function nameOfOtherEnd({ localAddress = '', localPort, remoteAddress = '', remotePort }: Ends): string {
  return `${written(remoteAddress)}:${port(remotePort)} ${written(localAddress)}:${port(localPort)}`
}

/** The ends in a row: ` 3: 0100007F:9C40 0100007F:064F 01 … uid timeout inode …`, in hexadecimal. */
function nameIn(line: string): string {
  const start = line.indexOf(': ') + 2
  const ends = line.slice(start, line.indexOf(' ', line.indexOf(' ', start) + 1))
  return ends.length === 27 ? ends : ends.replaceAll(/[^ :]{32}/g, plain)
}

function rowIn(line: string): SocketRow {
  const [, , , , , , , uid, , inode = '0'] = line.trim().split(/ +/)
  return { uid: Number(uid), inode }
}

/** Prefix of IPv4-mapped addresses: an IPv6 socket may have a connection whose other end is an IPv4 socket. */
const mapped = words('00000000000000000000ffff')

/** An address from the table; IPv4-mapped addresses become IPv4. */
function plain(address: string): string {
  return address.length === 32 && address.startsWith(mapped) ? address.slice(mapped.length) : address
}

/** An address in the format of the table; empty if invalid. */
function written(address: string): string {
  const ipv4 = address.replace(/^::ffff:/i, '')
  if (isIPv4(ipv4))
    return words(
      ipv4
        .split('.')
        .map((byte) => hex(Number(byte), 2))
        .join(''),
    )
  return URL.canParse(`http://[${address}]`)
    ? words(expanded(new URL(`http://[${address}]`).hostname.slice(1, -1)))
    : ''
}

/** The 32 hexadecimal digits of an IPv6 address given in its shortest form. */
function expanded(address: string): string {
  const [head, tail] = address.split('::').map((part) => part.split(':').filter(Boolean)) as [string[], string[]?]
  const between = Array<string>(8 - head.length - (tail?.length ?? 0)).fill('0')
  return [...head, ...between, ...(tail ?? [])].map((group) => group.padStart(4, '0')).join('')
}

/** The kernel writes each 32 bits of an address as a number in the machine's byte order. */
function words(digits: string): string {
  const big = digits.toUpperCase()
  if (endianness() === 'BE') return big
  return big.replaceAll(/.{8}/g, (word) => word.match(/../g)!.toReversed().join(''))
}

function port(number = 0): string {
  return hex(number, 4)
}

function hex(number: number, digits: number): string {
  return number.toString(16).toUpperCase().padStart(digits, '0')
}
