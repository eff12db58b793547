import type { LookupAddress } from 'node:dns'
import { lookup as systemLookup } from 'node:dns/promises'
import { BlockList, isIP, isIPv6, type LookupFunction } from 'node:net'

/**
 * The name resolves to a forbidden address. The message is for the owner and contains neither the name nor the address.
 */
export class AddressRefused extends Error {}

/** Gives every address of a name. */
export type Resolve = (name: string) => Promise<readonly LookupAddress[]>

const here = new BlockList()
here.addSubnet('127.0.0.0', 8)
here.addAddress('::1', 'ipv6')

const inside = new BlockList()
for (const [network, bits] of [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.168.0.0', 16],
  // Multicast, and everything above it up to the broadcast address.
  ['224.0.0.0', 3],
] as const)
  inside.addSubnet(network, bits)
for (const [network, bits] of [
  // Unspecified, loopback, and IPv4 addresses in the older IPv6 form.
  ['::', 96],
  // Addresses that a local NAT64 translator maps into this network.
  ['64:ff9b:1::', 48],
  ['fc00::', 7],
  ['fe80::', 9],
  ['ff00::', 8],
] as const)
  inside.addSubnet(network, bits, 'ipv6')

/**
 * Whether an address is loopback, link-local, private, shared, unspecified or multicast, or embeds such an IPv4 address
 * with `::ffff:` or `64:ff9b::/96`. Also true for text that is not an address.
 */
export function isInside(address: string): boolean {
  if (isIP(address) === 0) return true
  const [plain = ''] = address.split('%')
  if (!isIPv6(plain)) return inside.check(plain, 'ipv4')
  const held = ipv4In(plain)
  return held === undefined ? inside.check(plain, 'ipv6') : inside.check(held, 'ipv4')
}

/**
 * Resolves the name in `url` for a connection, and returns its addresses only if every one of them is permitted;
 * otherwise the connection fails with `AddressRefused`. Unless `mayBePrivate` is true, a name may not lead to an
 * address inside a network; with `http:`, it must lead to this machine. An owner who writes a literal address or
 * `localhost` means exactly that, so these may be addresses inside a network.
 */
export function checkedLookup(url: string, mayBePrivate = false, resolve: Resolve = everyAddress): LookupFunction {
  const { protocol, hostname } = new URL(url)
  const isMeant = hostname === 'localhost'
  const refusal = (addresses: readonly LookupAddress[]): AddressRefused | undefined => {
    if (addresses.length === 0) return new AddressRefused('its name has no address')
    const all = addresses.map(({ address }) => address)
    if (protocol === 'http:' && !all.every(isHere))
      return new AddressRefused('without TLS it must be on this machine, and its name resolves elsewhere')
    if (isMeant || mayBePrivate || !all.some(isInside)) return undefined
    return new AddressRefused('its name resolves to a private network, which only "private: true" allows')
  }
  return (name, options, done) => void lookUp(name, options, done)

  async function lookUp(...[name, options, done]: Parameters<LookupFunction>): Promise<void> {
    const addresses = await resolve(name).catch((error: NodeJS.ErrnoException) => error)
    if (addresses instanceof Error) return done(addresses, '')
    const refused = refusal(addresses)
    const [first] = addresses
    if (refused !== undefined || first === undefined) done(refused ?? null, '')
    else if (options.all === true) done(null, [...addresses])
    else done(null, first.address, first.family)
  }
}

function isHere(address: string): boolean {
  return isIP(address) !== 0 && here.check(address, isIPv6(address) ? 'ipv6' : 'ipv4')
}

async function everyAddress(name: string): Promise<readonly LookupAddress[]> {
  return systemLookup(name, { all: true })
}

/** The IPv4 address in an IPv6 address that is only another form of it, or that a translator (NAT64) maps to it. */
export function ipv4In(address: string): string | undefined {
  // `URL` normalizes the host to a single form, without dots.
  const groups = new URL(`http://[${address}]/`).hostname.slice(1, -1)
  const [, high, low] = /^(?:::ffff|64:ff9b:):(?:([\da-f]{1,4}):)?([\da-f]{1,4})$/.exec(groups) ?? []
  if (low === undefined) return groups === '64:ff9b::' ? '0.0.0.0' : undefined
  const value = Number.parseInt(high ?? '0', 16) * 65_536 + Number.parseInt(low, 16)
  return [value >>> 24, (value >>> 16) & 255, (value >>> 8) & 255, value & 255].join('.')
}
