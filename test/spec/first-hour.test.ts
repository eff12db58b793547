import { existsSync, mkdirSync, readFileSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import type { Script } from '../../src/app/demo/script.ts'
import { startScriptedModel } from '../../src/app/demo/scripted-model.ts'
import { eventually } from '../support/eventually.ts'
import { endAll } from '../support/program.ts'
import { claudeBinary } from '../support/real-claude.ts'
import { scratchDirectory } from '../support/scratch.ts'
import { asUsedBefore, Terminal } from '../support/terminal.ts'
import { spoken } from '../support/world.ts'

const repository = fileURLToPath(new URL('../..', import.meta.url))
const page = readFileSync(join(repository, 'docs/guide/first-hour.md'), 'utf8')
const [enter, everything, down] = ['\r', 'a', '\u001b[B']
const tool = 'mcp__iris__send_message'
/** The shell has the keyboard again: what is typed while a program has it may be lost. */
const prompt = /[#$]\s*$/

/** Backend knows its fields and writes them where it is asked to; the person's Claude Code asks it. */
const scriptIn =
  (projects: string): Script =>
  ({ conversation: { lastUserText, toolNames, toolResults, allToolResults } }) => {
    if (lastUserText.includes('<iris-message')) {
      const asked = spoken(lastUserText)
      if (asked.includes('optional')) return { text: 'Only the date is optional.' }
      if (!asked.includes('FIELDS.md')) return { text: 'An order has a number and a date.' }
      if (toolResults.length > 0) return { text: 'The fields are written.' }
      const input = { file_path: join(projects, 'backend/FIELDS.md'), content: 'number, date\n' }
      return { toolUses: [{ name: 'Write', input }] }
    }
    if (allToolResults.some(({ name }) => name === tool)) return { text: 'Backend has answered.' }
    const isLoaded = toolNames.includes(tool) || lastUserText === 'Tool loaded.'
    const input = { toTeam: 'backend', message: 'Which fields does an order have?' }
    return { toolUses: [isLoaded ? { name: tool, input } : { name: 'ToolSearch', input: { query: `select:${tool}` } }] }
  }

/** A machine with two projects that Claude Code was used in, and this checkout. */
async function machine() {
  const scratch = scratchDirectory()
  const [home, bin, projects] = ['home', 'bin', 'home/projects'].map((name) => join(scratch.path, name)) as [
    string,
    string,
    string,
  ]
  for (const directory of [bin, join(projects, 'frontend'), join(projects, 'backend')])
    mkdirSync(directory, { recursive: true })
  symlinkSync(claudeBinary('2.1.330'), join(bin, 'claude'))
  asUsedBefore(join(home, '.claude.json'), join(projects, 'frontend'), join(projects, 'backend'))
  const model = await startScriptedModel({ script: scriptIn(projects) })
  const env = {
    HOME: home,
    PATH: `${bin}:/usr/bin:/bin`,
    ANTHROPIC_BASE_URL: model.url,
    ANTHROPIC_API_KEY: 'dummy',
    DISABLE_AUTOUPDATER: '1',
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
  }
  return {
    projects,
    terminal: () => new Terminal('exec sh', { cwd: repository, env }),
    async [Symbol.asyncDispose]() {
      await endAll(scratch.path)
      await model.close()
      scratch[Symbol.dispose]()
    },
  }
}

test('each command of "Your first hour", typed in its order, does what the page says', {
  timeout: 240_000,
}, async () => {
  await using here = await machine()
  await using first = here.terminal()
  await using second = here.terminal()
  const lines = [...page.matchAll(/```sh\n(.*?)```/gs)].flatMap(([, block]) => block!.trim().split('\n'))
  const next = lines.values()
  /** Types the page's next line, with the ids of this run, and waits for what it prints. */
  const typed = async (begin: string, shown: string, on = first, id = ''): Promise<void> => {
    const line = next.next().value ?? 'no further line'
    expect(line).toMatch(new RegExp(`^${begin}`))
    const since = on.printed.length
    await on.type(line.replace(/3f2a9c\w\w/, id))
    await on.shows(shown, since)
  }
  const found = (on: Terminal, pattern: RegExp): Promise<string> =>
    eventually(() => pattern.exec(on.printed)?.[1], `the terminal shows ${pattern}`)

  await typed('./iris install', 'Which of these projects may be asked?')
  first.press(everything + enter)
  await first.shows('May Claude Code use the tools of Iris')
  first.press(enter)
  await first.shows('Next, in a terminal:')
  await typed('alias iris=', 'iris')
  await second.type(`alias iris="$PWD/iris"`)
  // The usual port may belong to another test.
  await first.type('iris config set settings.httpPort 0')
  await typed('iris teams', 'projects/backend')
  await typed('iris add-team', 'backend')
  await typed('cd ', 'frontend')
  await typed('iris tell backend "Which', 'An order has a number and a date.')
  await typed('iris tell backend "And', 'Only the date is optional.')
  await typed('iris sessions', 'frontend→backend')
  await typed('iris sessions show', '2 answered')
  const turn = await found(first, /2 answered, .*? ([0-9a-f]{8}) /)
  await typed('claude -p', 'Backend has answered.')

  await typed('iris tell backend "Write', 'May backend use Write?')
  first.press(down + down + enter)
  await typed('iris permissions', 'Write of backend: waits for you', second)
  await typed('iris allow', 'Allowed: Write of backend', second, await found(second, /([0-9a-f]{8}) Write of backend/))
  await eventually(() => existsSync(join(here.projects, 'backend/FIELDS.md')), 'the file is written')
  await first.shows('The fields are written.')

  await typed('iris dashboard', '/login?code=')
  await typed('iris status', 'from frontend')
  await typed('iris monitor', 'No open requests')
  first.press('q')
  await first.displays(prompt)
  await typed('iris doctor', 'isolation')
  await typed('iris why', 'Iris accepted the message of frontend for backend.', first, turn)
  await typed('iris logs', 'log')
  expect(next.next().done).toBe(true)

  for (const [line, shown] of [
    ['claude mcp list', 'Connected'],
    ['iris install --allow-tools', 'mcp__iris'],
    ['iris config set settings.httpPort 1616', 'settings.httpPort is 1616'],
    ['iris stop', 'Iris has stopped'],
    ['iris uninstall', 'Removed iris from'],
  ] as const) {
    expect(page).toContain(`\`${line}\``)
    await second.displays(prompt)
    const since = second.printed.length
    await second.type(line)
    await second.shows(shown, since)
  }
})
