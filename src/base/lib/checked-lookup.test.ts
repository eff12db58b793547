import type { LookupAddress } from 'node:dns'
import { expect, test } from 'vitest'
import { AddressRefused, checkedLookup, isInside } from './checked-lookup.ts'

const inside = [
  '0.0.0.0',
  '10.1.2.3',
  '100.64.0.1',
  '100.127.255.255',
  '127.0.0.1',
  '127.9.9.9',
  '169.254.169.254',
  '172.16.0.1',
  '172.31.255.255',
  '192.168.1.1',
  '224.0.0.1',
  '255.255.255.255',
  '::',
  '::1',
  '::127.0.0.1',
  'fc00::1',
  'fd12::1',
  'fe80::1',
  'fe80::1%eth0',
  'fec0::1',
  'ff02::1',
  '::ffff:10.0.0.1',
  '::ffff:127.0.0.1',
  '::ffff:a9fe:a9fe',
  '64:ff9b::10.0.0.1',
  '64:ff9b::',
  '64:ff9b::1',
  '64:ff9b::7f00:1',
  '64:ff9b:1::1',
  '',
  'name',
]
const outside = [
  '1.1.1.1',
  '9.255.255.255',
  '11.0.0.1',
  '100.63.255.255',
  '100.128.0.1',
  '172.15.0.1',
  '172.32.0.1',
  '223.255.255.255',
  '2606:4700::1111',
  '::ffff:1.1.1.1',
  '64:ff9b::1.1.1.1',
  'fbff::1',
]

test.each(inside)('%j is inside a network', (address) => expect(isInside(address)).toBe(true))
test.each(outside)('%s is outside', (address) => expect(isInside(address)).toBe(false))

const looked = async (url: string, addresses: readonly string[], mayBePrivate?: boolean) => {
  const found = addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }))
  const lookup = checkedLookup(url, mayBePrivate, async () => found)
  return new Promise<readonly LookupAddress[] | Error | string>((resolve) =>
    lookup(new URL(url).hostname, { all: true }, (error, address) => resolve(error ?? address)),
  )
}

test.each([
  ['https://a.example', ['1.1.1.1', '2606:4700::1111'], undefined],
  ['https://a.example', ['10.0.0.1'], true],
  ['https://localhost', ['127.0.0.1'], undefined],
  ['http://localhost', ['127.0.0.1', '::1'], undefined],
])('%s may lead to %j', async (url, addresses, mayBePrivate) => {
  expect(await looked(url, addresses, mayBePrivate)).toHaveLength(addresses.length)
})

test.each([
  ['https://a.example', ['1.1.1.1', '10.0.0.1'], undefined],
  ['https://a.example', ['::ffff:127.0.0.1'], undefined],
  ['https://localhost.', ['127.0.0.1'], undefined],
  ['https://a.example', [], true],
  ['http://localhost', ['127.0.0.1', '1.1.1.1'], true],
])('%s may not lead to %j', async (url, addresses, mayBePrivate) => {
  expect(await looked(url, addresses, mayBePrivate)).toBeInstanceOf(AddressRefused)
})
