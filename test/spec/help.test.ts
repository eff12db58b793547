import { expect, test } from 'vitest'
import { commandTable, daily, formerNames } from '../../src/app/cli/table/table.ts'
import { runCommand } from '../../src/program.ts'
import { TestContext } from '../support/command-context.ts'

async function run(...words: string[]) {
  const context = new TestContext({ env: { IRIS_HOME: '/nonexistent/iris', HOME: '/nonexistent' } })
  const code = await runCommand(words, context)
  return { code, ...context.printed }
}

/** The commands that a help lists, by their first word. */
const listedIn = (help: string): readonly string[] =>
  [...help.slice(help.indexOf('--help')).matchAll(/^ {2}([a-z][a-z-]+)/gm)].map(([, word]) => word!)

test('iris --help shows the twelve commands of a day, how to try Iris, and how to see all', async () => {
  const { code, stdout } = await run('--help')
  expect(code).toBe(0)
  expect(listedIn(stdout)).toEqual(daily.flatMap(([, words]) => words))
  expect(listedIn(stdout)).toHaveLength(12)
  for (const [group] of daily) expect(stdout).toContain(`\n${group}:\n`)
  expect(stdout).toContain('iris demo')
  expect(stdout).toContain('iris help --all')
  expect((await run('help')).stdout).toBe(stdout)
})

test('iris help --all shows every command by task, and no former name', async () => {
  const { code, stdout } = await run('help', '--all')
  expect(code).toBe(0)
  expect(listedIn(stdout).toSorted()).toEqual(
    [...new Set(commandTable.map(({ name }) => name.split(' ')[0]!))].toSorted(),
  )
  for (const { group } of commandTable) expect(stdout).toContain(`\n${group}:\n`)
  expect(commandTable.filter(({ name }) => Object.hasOwn(formerNames, name))).toEqual([])
  expect((await run('--help', '--all')).stdout).toBe(stdout)
})

test.each([
  ['help stats', '"iris stats" is now "iris insight stats".\n\nUsage: iris insight stats'],
  ['reflect apply --help', '"iris reflect apply" is now "iris insight apply".\n\nUsage: iris insight apply'],
  ['config help set', 'Usage: iris config set'],
  ['insight --help', 'apply <suggestion>'],
])('iris %s shows the help of that command', async (typed, shown) => {
  const { code, stdout } = await run(...typed.split(' '))
  expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringContaining(shown) })
})

test.each([
  ['stauts', 'Did you mean status?'],
  ['frok', 'Did you mean fork?'],
  ['ls', 'Did you mean teams?'],
  ['list', 'Did you mean teams?'],
  ['ps', 'Did you mean status?'],
  ['reprot', 'Did you mean sessions show?'],
  ['token lst', 'Did you mean list?'],
  ['sessions shwo a b', 'Did you mean show?'],
  ['rm', 'Run "iris --help" to see all commands.'],
  // They end or delete something.
  ['stpo', 'Run "iris --help" to see all commands.'],
  ['delet', 'Run "iris --help" to see all commands.'],
  ['config unst', 'Run "iris config --help" to see all commands.'],
])('iris %s is refused: %s', async (typed, remedy) => {
  const { code, stderr } = await run(...typed.split(' '))
  expect({ code, remedy: stderr.trimEnd().split('\n').at(-1) }).toEqual({ code: 2, remedy })
})

test('what ends or deletes something is never suggested, however it is misspelt', async () => {
  for (const { name } of commandTable.filter(({ destructive }) => destructive)) {
    const words = name.split(' ')
    const last = words.at(-1)!
    const slips = [last.slice(1), last.slice(0, -1), `${last}x`, last[1]! + last[0] + last.slice(2)]
    for (const slip of slips) {
      const { stderr } = await run(...words.slice(0, -1), slip)
      expect(stderr).not.toContain(`Did you mean ${last}?`)
      expect(stderr).not.toContain(`Did you mean ${name}?`)
    }
  }
})
