import { mkdirSync, symlinkSync, watch as systemWatch, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { eventually } from '../../../test/support/eventually.ts'
import { FakeClock } from '../../../test/support/fake-clock.ts'
import { temporaryHome } from '../../../test/support/temporary-home.ts'
import { ConfigWatch, lookupsOf } from './watch.ts'

/** Counts timers, so that a test notices when an event has arrived. */
class CountingClock extends FakeClock {
  putOff = 0

  override after(ms: number, run: () => void): () => void {
    this.putOff += 1
    return super.after(ms, run)
  }
}

test('a file that is written in pieces counts once, when it has been left alone for 200 ms', async () => {
  await using disk = await temporaryHome()
  const clock = new CountingClock()
  let changes = 0
  const onChange = (): void => void (changes += 1)
  const watch = new ConfigWatch({ home: disk.home, clock, onChange, onTrouble: () => {} })
  for (let piece = 1; piece <= 3; piece++) {
    const before = clock.putOff
    writeFileSync(join(disk.home, 'config.yaml'), 'x', { flag: 'a' })
    await eventually(() => clock.putOff > before, 'the change is seen')
    await clock.advance(199)
  }
  expect(changes).toBe(0)
  await clock.advance(1)
  expect(changes).toBe(1)
  watch.end()
  expect(clock.pending).toBe(0)
})

test('other files of the home are none of its business', async () => {
  await using disk = await temporaryHome()
  const append = (name: string): void => writeFileSync(join(disk.home, name), 'x', { flag: 'a' })
  append('config.yaml')
  const clock = new CountingClock()
  const watch = new ConfigWatch({ home: disk.home, clock, onChange: () => {}, onTrouble: () => {} })
  for (const name of ['token', 'daemon.json', 'config.yaml~', 'config.yaml']) append(name)
  await eventually(() => clock.putOff > 0, 'the change is seen')
  expect(clock.putOff).toBe(1)
  watch.end()
})

test('a directory that cannot be watched is named, once', async () => {
  await using disk = await temporaryHome()
  const clock = new CountingClock()
  const troubles: string[] = []
  const watch = new ConfigWatch({
    home: disk.home,
    clock,
    onChange: () => {},
    onTrouble: (directory) => troubles.push(directory),
    watch: (directory, ...more) => {
      if (directory === disk.root) throw Object.assign(new Error('no more watches'), { code: 'ENOSPC' })
      return systemWatch(directory, ...more)
    },
  })
  writeFileSync(join(disk.home, 'config.yaml'), 'x')
  await eventually(() => clock.putOff > 0, 'the change is seen')
  await clock.advance(200)
  expect(troubles).toEqual([disk.root])
  watch.end()
})

test('a path is looked up name by name, through links, up to what is missing', async () => {
  await using disk = await temporaryHome()
  const { root } = disk
  mkdirSync(join(root, 'a/b'), { recursive: true })
  symlinkSync('../a/./b/../b', join(root, 'a/link'))
  const found = [...lookupsOf(join(root, 'a/link/x/y'))].map(({ directory, name }) => join(directory, name))
  expect(found.filter((path) => path.startsWith(`${root}/`))).toEqual(
    ['a', 'a/link', 'a', 'a/b', 'a/b', 'a/b/x'].map((path) => join(root, path)),
  )
})

test('a ring of links ends', async () => {
  await using disk = await temporaryHome()
  symlinkSync('two', join(disk.root, 'one'))
  symlinkSync('one', join(disk.root, 'two'))
  expect([...lookupsOf(join(disk.root, 'one'))].length).toBeLessThan(100)
})
