import { execFile } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { eventually } from '../support/eventually.ts'
import { claudeBinary, cliEnvironment } from '../support/real-claude.ts'
import { shop } from '../support/shown-world.ts'
import { asUsedBefore, Terminal } from '../support/terminal.ts'
import { createWorld } from '../support/world.ts'

const page = join(import.meta.dirname, '../../docs/compared.md')
/** The capture in the guide, with the indentation of its list. */
const block = /(?<= {2}```\n)( {3}▐[\s\S]*?\n)(?= {2}```\n)/
const version = '2.1.330'
const claude = claudeBinary(version)
const run = promisify(execFile)

/** The four messages of the picture of the inbox, each to its team. */
const messages = [
  ['mobile', 'Run the tests of the cart.'],
  ['backend', 'Is the order service stable?'],
  ['docs', 'Translate the new texts.'],
  ['docs', 'What is new since the last release?'],
] as const

test('the guide has what the agent view of Claude Code shows for the messages of its picture of the inbox', {
  timeout: 240_000,
}, async () => {
  const open = Promise.withResolvers<void>()
  await using world = await createWorld({ script: shop(open.promise), teams: ['mobile', 'backend', 'docs'] })
  const env = cliEnvironment({ version, home: world.root, modelUrl: world.model.url })
  asUsedBefore(join(world.root, '.claude.json'), ...['mobile', 'backend', 'docs'].map((team) => world.directory(team)))
  const inBackground = async (team: string, ...args: readonly string[]): Promise<string> =>
    (await run(claude, [...args], { cwd: world.directory(team), env })).stdout
  const begun: string[] = []
  try {
    for (const [team, message] of messages) {
      const said = await inBackground(team, '--bg', '--permission-mode', 'default', message)
      begun.push(/backgrounded · (\w+)/.exec(said)![1]!)
    }
    await using terminal = new Terminal(`exec ${claude} agents`, {
      cwd: world.directory('docs'),
      env,
      columns: 96,
      rows: 24,
    })
    const text = (): string => terminal.screen().join('\n')
    const all = [/approve Bash: npm test/, /529 Overloaded/, /Vouchers, a shorter checkout/, /Translate the new/]
    for (const each of all) await eventually(() => each.test(text()), `${each} is shown`)
    const shown = text().slice(0, text().indexOf('\n\n\n')).split('\n').filter(Boolean)
    const captured = shown.map((row) => `  ${row}\n`).join('')
    const guide = readFileSync(page, 'utf8')
    if (process.env['IRIS_SCREENSHOTS'] === '1')
      writeFileSync(
        page,
        guide.replace(block, () => captured),
      )
    expect(steady(block.exec(readFileSync(page, 'utf8'))?.[0] ?? '')).toEqual(steady(captured))
  } finally {
    open.resolve()
    for (const [index, id] of begun.entries()) await inBackground(messages[index]![0], 'stop', id)
  }
})

/**
 * Without what is another one in each run: times, the last word of a row that they cut, the dots of what moves, and the
 * order and state of what has just begun.
 */
function steady(text: string): readonly string[] {
  const rows = text.split('\n').map((row) =>
    row
      .replace(/[✻✶✽✢·*](?= )/gu, '*')
      .replace(/ +\d+[sm] *$/, '')
      .replace(/ \S*…$/, ' …')
      .trimEnd(),
  )
  return rows.filter((row) => row !== '' && !/\d awaiting input/.test(row)).toSorted()
}
