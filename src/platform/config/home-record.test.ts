import {
  cpSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { homePaths } from './home.ts'
import { formerPlaces, movedHome, refuseUnadopted, thisHome, unadoptedIn, writeHomeRecord } from './home-record.ts'

/** A home whose daemon has run, and the directory around it. `stores` maps each home to the identity of its store. */
function homes() {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'iris-homes-')))
  onTestFinished(() => rmSync(root, { recursive: true }))
  const home = join(root, 'first')
  mkdirSync(join(home, 'data'), { recursive: true })
  writeFileSync(homePaths(home).lock, '')
  writeHomeRecord(home, thisHome(home))
  const stores = new Map([[home, 7]])
  const at = (name: string): string => join(root, name)
  const copied = (name: string): string => {
    cpSync(home, at(name), { recursive: true })
    stores.set(at(name), 7)
    return at(name)
  }
  return { home, at, copied, stores, found: (of: string) => unadoptedIn(of, (each) => stores.get(each)) }
}

test('a copy is one as long as the original is there with the same store', () => {
  const { home, copied, stores, found } = homes()
  const copy = copied('copy')
  expect(found(copy)).toEqual({ kind: 'copy', of: home })
  expect(() => refuseUnadopted(copy, found(copy))).toThrow(`${copy} is a copy of ${home}, which is still there.`)
  expect(found(home)).toBeUndefined()
  stores.set(home, 8)
  expect(found(copy)).toBeUndefined()
  stores.delete(home)
  expect(found(copy)).toBeUndefined()
})

test('a home that was moved goes on, also over the bounds of a disk and when another home is in its place', () => {
  const { home, at, copied, stores, found } = homes()
  const elsewhere = copied('elsewhere')
  rmSync(home, { recursive: true })
  stores.delete(home)
  expect(found(elsewhere)).toBeUndefined()
  renameSync(elsewhere, at('moved'))
  stores.set(at('moved'), 7)
  stores.set(home, 9)
  expect(found(at('moved'))).toBeUndefined()
})

test('a home that went on while the original was away is a copy again once that one is back, until it is adopted', () => {
  const { home, at, copied, stores, found } = homes()
  const copy = copied('copy')
  renameSync(home, at('away'))
  stores.delete(home)
  // Twice, because every start does this.
  for (const _start of [1, 2]) {
    expect(found(copy)).toBeUndefined()
    writeHomeRecord(copy, movedHome(copy))
  }
  expect(formerPlaces(copy)).toEqual([home])
  symlinkSync(copy, home)
  stores.set(home, 7)
  expect(found(copy)).toBeUndefined()
  rmSync(home)
  renameSync(at('away'), home)
  expect(found(copy)).toEqual({ kind: 'copy', of: home })
  expect(found(home)).toBeUndefined()
  writeHomeRecord(copy, thisHome(copy))
  expect(found(copy)).toBeUndefined()
})

test('a home that was only renamed is none, although a copy of it has its old place', () => {
  const { home, at, copied, stores, found } = homes()
  const copy = copied('copy')
  renameSync(home, at('renamed'))
  renameSync(copy, home)
  stores.set(at('renamed'), 7)
  expect(found(at('renamed'))).toBeUndefined()
})

test('a directory in the place of the store is no copy by hard links', () => {
  const { copied, stores, found } = homes()
  const copy = copied('copy')
  mkdirSync(join(homePaths(copy).database, 'inner'), { recursive: true })
  stores.delete(copy)
  expect(found(copy)).toBeUndefined()
})

test.each(['lock', 'database'] as const)('a copy that shares its %s by a hard link never goes on', (shared) => {
  const { home, at, copied, stores, found } = homes()
  const copy = copied('copy')
  rmSync(homePaths(copy)[shared], { force: true })
  writeFileSync(homePaths(home).database, 'rows')
  linkSync(homePaths(home)[shared], homePaths(copy)[shared])
  expect(found(copy)).toEqual({ kind: 'linked', of: home })
  expect(() => refuseUnadopted(copy, found(copy))).toThrow(`${copy} is a copy of ${home} by hard links`)
  // This also holds when the original, which continues, is moved to another place.
  expect(found(home)).toBeUndefined()
  renameSync(home, at('renamed'))
  expect([at('renamed'), copy].map((each) => found(each)?.kind)).toEqual([undefined, 'linked'])
  // The last remaining home is a home like any other.
  rmSync(at('renamed'), { recursive: true })
  stores.delete(home)
  expect(found(copy)).toBeUndefined()
})

test('a home is the same under another name of its directory, and with the record of an older Iris', () => {
  const { home, at, stores, found } = homes()
  const { directory: _, ...older } = thisHome(home)
  writeHomeRecord(home, older)
  linkSync(homePaths(home).lock, at('kept by a person'))
  expect(found(home)).toBeUndefined()
  renameSync(home, at('renamed'))
  stores.set(at('renamed'), 7)
  expect(found(at('renamed'))).toBeUndefined()
})

test('a restored home waits for a decision in its own place too, and as a copy while the original is there', () => {
  const { home, copied, found } = homes()
  const restored = copied('restored')
  writeHomeRecord(restored, { path: restored, backedUpAt: 1000 })
  expect(found(restored)).toEqual({ kind: 'restored', backedUpAt: 1000 })
  writeHomeRecord(restored, { ...thisHome(home), backedUpAt: 1000 })
  expect(found(restored)).toEqual({ kind: 'copy', of: home })
})

test('a copy whose record is missing or cannot be read is known by the second one; without both it continues', () => {
  const { home, copied, found } = homes()
  const copy = copied('copy')
  const { homeRecord, homeRecordCopy } = homePaths(copy)
  for (const text of ['', '{', '[]', '{"path": 7}']) {
    writeFileSync(homeRecord, text)
    expect(found(copy)).toEqual({ kind: 'copy', of: home })
  }
  rmSync(homeRecord)
  expect(found(copy)).toEqual({ kind: 'copy', of: home })
  rmSync(homeRecordCopy)
  expect(found(copy)).toBeUndefined()
})
