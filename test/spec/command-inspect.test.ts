import { expect, test } from 'vitest'
import { placeOf, rowsOf } from '../../src/app/cli/inspect/pager.ts'
import type { Script } from '../../src/app/demo/script.ts'
import { ask } from '../support/call-tool.ts'
import { TestIris } from '../support/iris.ts'
import { irisCommand } from '../support/program.ts'
import { Terminal } from '../support/terminal.ts'
import { spoken } from '../support/world.ts'

const [ctrlC, down, enter] = ['\u0003', '\u001b[B', '\r']

/** Long is a hundred lines, in one of which stands what would act on a terminal. */
const longWinded: Script = ({ conversation: { lastUserText } }) => {
  if (spoken(lastUserText) !== 'long') return { text: `You said: ${spoken(lastUserText)}` }
  const lines = Array.from({ length: 100 }, (_, index) => `line ${index + 1}.`)
  return { text: lines.with(69, 'the needle \u001b[2J \u001b]0;owned\u0007 in it').join('\n') }
}

test('at a terminal the turns of a conversation are walked: one is opened, paged, and searched', async () => {
  await using iris = await TestIris.start({ claude: 'fake', script: longWinded, teams: ['backend'] })
  const { sessionId } = await ask(iris, 'backend', 'short')
  await ask(iris, 'backend', 'long')
  const env = { ...iris.world.env, IRIS_HOME: iris.world.home }
  const command = `exec ${irisCommand} cache inspect ${sessionId.slice(0, 8)}`
  await using screen = new Terminal(command, { cwd: iris.world.root, env })
  await screen.shows('you→backend')
  await screen.shows('Which turn?')
  screen.press(enter)
  await screen.shows('> long')
  await screen.shows('Lines 1 to 32 of 102')
  expect(screen.printed).toContain('< line 31.')
  expect(screen.printed).not.toContain('line 32.')
  screen.press(enter)
  await screen.shows('Lines 33 to 64 of 102')
  screen.press(down)
  screen.press(enter)
  await screen.shows('Which words?')
  await screen.type('NEEDLE')
  await screen.shows('the needle ‹U+001B›[2J ‹U+001B›]0;owned‹U+0007› in it')
  await screen.shows('Lines 71 to 102 of 102')
  const before = screen.printed.length
  // At the end there is nothing to continue to: the words again, look for others, back, enough.
  screen.press(down + down + down + enter)
  await screen.shows('Which turn?', before)
  await screen.type('short')
  await screen.shows('< You said: short', before)
  await screen.shows('Which turn?', screen.printed.lastIndexOf('You said: short'))
  screen.press(ctrlC)
  expect(await screen.exited()).toBe(130)
})

test('lines are cut to the screen, and words are found from there on and then from the top', () => {
  expect(rowsOf(['abcdef', '', '🎉🎉🎉'], 4)).toEqual(['abcd', 'ef', '', '🎉🎉', '🎉'])
  expect(rowsOf(['a\u001bb'], 6)).toEqual(['a‹U+00', '1B›b'])
  const rows = ['one', 'Two', 'three', 'two']
  expect([0, 1, 3].map((first) => placeOf('two', rows, first))).toEqual([1, 3, 1])
  expect(placeOf('four', rows, 0)).toBeUndefined()
})
