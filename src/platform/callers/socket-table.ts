import { closeSync, openSync, readSync } from 'node:fs'
import { isIPv4 } from 'node:net'
import { endianness } from 'node:os'
import { setImmediate as nextTurn } from 'node:timers/promises'

/** The two ends of a TCP connection, as the process sees them that holds one of them. */
export interface Ends {
  readonly localAddress?: string | undefined
  readonly localPort?: number | undefined
  readonly remoteAddress?: string | undefined
  readonly remotePort?: number | undefined
}

/** What the kernel says of one end of a connection. */
export interface SocketRow {
  readonly uid: number
  /** `0`: no process has it open any more. */
  readonly inode: string
}

/** The most rows that one read can take: the kernel fills a page at a time. */
const rowsAPage = 27
const rowBytes = 150
/** After so many rows other work has its turn. */
const rowsAtOnce = 250

/**
 * What the kernel's table of TCP sockets (`/proc/net/tcp`, or `/proc/net/tcp6`) says of the other ends of these connections,
 * in their order: both addresses and both ports are compared. Undefined where there is no such table; throws where it cannot be
 * read. To make the table the kernel walks all its buckets, some 3 ms however few sockets there are; but it stops where a read
 * is full. So as few rows are read at a time as are wanted, and none after the last one: on average that is half the walk.
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
    // Where there are many rows, the next few cost the kernel little.
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

/** A table that is there and cannot be opened is no table that is not there: an agent can use up the daemon's files. */
function opened(file: string): number | undefined {
  try {
    return openSync(file, 'r')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}

/** As a row of the table has it. */
function nameOfOtherEnd({ localAddress = '', localPort, remoteAddress = '', remotePort }: Ends): string {
  return `${written(remoteAddress)}:${port(remotePort)} ${written(localAddress)}:${port(localPort)}`
}

/** ` 3: 0100007F:9C40 0100007F:064F 01 … uid timeout inode …`: addresses and ports in hexadecimal. */
function nameIn(line: string): string {
  const start = line.indexOf(': ') + 2
  const ends = line.slice(start, line.indexOf(' ', line.indexOf(' ', start) + 1))
  return ends.length === 27 ? ends : ends.replaceAll(/[^ :]{32}/g, plain)
}

function rowIn(line: string): SocketRow {
  const [, , , , , , , uid, , inode = '0'] = line.trim().split(/ +/)
  return { uid: Number(uid), inode }
}

/** A socket of IPv6 may hold a connection of IPv4, which its other end knows as one of IPv4. */
const mapped = words('00000000000000000000ffff')

/** An address of the table, IPv4 wherever it is that. */
function plain(address: string): string {
  return address.length === 32 && address.startsWith(mapped) ? address.slice(mapped.length) : address
}

/** An address as the table writes it. */
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

/** The 32 digits of an IPv6 address in its shortest form. */
function expanded(address: string): string {
  const [head, tail] = address.split('::').map((part) => part.split(':').filter(Boolean)) as [string[], string[]?]
  const between = Array<string>(8 - head.length - (tail?.length ?? 0)).fill('0')
  return [...head, ...between, ...(tail ?? [])].map((group) => group.padStart(4, '0')).join('')
}

/** The kernel writes each 32 bits of an address as a number of the machine's own byte order. */
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
