import headless from '@xterm/headless'
import { expect, test } from 'vitest'
import { systemClock } from '../../../base/lib/clock.ts'
import { LiveLine } from './live-line.ts'

/** A terminal of six rows; `rows` returns those that are not empty. */
function terminal() {
  const screen = new headless.Terminal({ cols: 20, rows: 6, allowProposedApi: true })
  const line = new LiveLine({
    write: (text) => screen.write(text.replaceAll('\n', '\r\n')),
    columns: () => 20,
    clock: { ...systemClock, after: () => () => {} },
    isPlain: true,
  })
  const rows = async (): Promise<readonly string[]> => {
    await new Promise<void>((resolve) => screen.write('', resolve))
    const { active } = screen.buffer
    const all = Array.from({ length: 6 }, (_, row) => active.getLine(active.viewportY + row)!.translateToString(true))
    return all.filter((row) => row !== '')
  }
  return { line, rows }
}

test('it is below the text, moves down with it, and leaves nothing behind', async () => {
  const { line, rows } = terminal()
  line.shows(() => 'waking backend')
  expect(await rows()).toEqual(['waking backend'])
  line.write('An order')
  expect(await rows()).toEqual(['An order', 'waking backend'])
  line.write(' has\na number')
  line.shows(() => 'working 6 s, and more than fits')
  expect(await rows()).toEqual(['An order has', 'a number', 'working 6 s, and m…'])
  line.hideWhile(() => line.write(''))
  line.shows(() => undefined)
  line.write('.')
  expect(await rows()).toEqual(['An order has', 'a number.'])
  line[Symbol.dispose]()
  expect(await rows()).toEqual(['An order has', 'a number.'])
})

test('on the last row of the terminal the text moves up for it, and goes on where it ended', async () => {
  const { line, rows } = terminal()
  line.write('1\n2\n3\n4\n5\nsix')
  line.shows(() => 'working')
  expect(await rows()).toEqual(['2', '3', '4', '5', 'six', 'working'])
  line.write('teen')
  expect(await rows()).toEqual(['2', '3', '4', '5', 'sixteen', 'working'])
  line[Symbol.dispose]()
  expect(await rows()).toEqual(['2', '3', '4', '5', 'sixteen'])
})

test('it makes way for lines of others, and is gone while the terminal belongs to somebody else', async () => {
  const { line, rows } = terminal()
  line.shows(() => 'asking backend')
  line.hideWhile(() => line.write('Started Iris.\n'))
  expect(await rows()).toEqual(['Started Iris.', 'asking backend'])
  line.hold()
  expect(await rows()).toEqual(['Started Iris.'])
  line.release()
  expect(await rows()).toEqual(['Started Iris.', 'asking backend'])
})
