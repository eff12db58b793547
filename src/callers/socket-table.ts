import { readFile } from 'node:fs/promises'
import { isIPv4 } from 'node:net'
import { endianness } from 'node:os'

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

/** One reading of the kernel's table of TCP sockets: `/proc/net/tcp`, or `/proc/net/tcp6`. */
export class SocketTable {
  readonly #rows = new Map<string, SocketRow>()

  /** Undefined where there is no such table. The kernel walks all its buckets for it: some 3 ms, however few sockets there are. */
  static async read(this: void, file: string): Promise<SocketTable | undefined> {
    const text = await readFile(file, 'latin1').catch(() => undefined)
    return text === undefined ? undefined : new SocketTable(text)
  }

  private constructor(text: string) {
    for (const [, local = '', localPort, remote = '', remotePort, uid, inode = '0'] of text.matchAll(row)) {
      this.#rows.set(`${plain(local)}:${localPort} ${plain(remote)}:${remotePort}`, { uid: Number(uid), inode })
    }
  }

  /** The other end of this connection: both addresses and both ports are compared. */
  otherEndOf({ localAddress = '', localPort, remoteAddress = '', remotePort }: Ends): SocketRow | undefined {
    return this.#rows.get(`${written(remoteAddress)}:${port(remotePort)} ${written(localAddress)}:${port(localPort)}`)
  }
}

/** ` 3: 0100007F:9C40 0100007F:064F 01 … uid timeout inode …`: addresses and ports in hexadecimal. */
const row = /^ *\d+: ([\dA-F]+):([\dA-F]{4}) ([\dA-F]+):([\dA-F]{4}) \S+ \S+ \S+ \S+ +(\d+) +\d+ (\d+)/gm

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
