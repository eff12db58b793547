import { execFileSync } from 'node:child_process'
import { chmodSync, cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import type { Script } from '../../src/app/demo/script.ts'
import { startScriptedModel } from '../../src/app/demo/scripted-model.ts'
import { endAll } from '../support/program.ts'
import { claudeBinary } from '../support/real-claude.ts'
import { scratchDirectory } from '../support/scratch.ts'
import { Terminal } from '../support/terminal.ts'

const repository = fileURLToPath(new URL('../..', import.meta.url))
const readme = readFileSync(join(repository, 'README.md'), 'utf8')
const [enter, everything] = ['\r', 'a']

const tool = 'mcp__iris__send_message'
const fields = 'An order has a number and a date.'

/** The person's Claude Code asks the team, whose agent answers; it says what it was told. */
const script: Script = ({ conversation: { lastUserText, toolNames, allToolResults } }) => {
  if (lastUserText.includes('<iris-message')) return { text: fields }
  const told = allToolResults.find(({ name }) => name === tool)
  if (told) return { text: `The backend team says: ${told.text}` }
  const isLoaded = toolNames.includes(tool) || lastUserText === 'Tool loaded.'
  const input = { toTeam: 'backend', message: 'Which fields does an order have?' }
  return { toolUses: [isLoaded ? { name: tool, input } : { name: 'ToolSearch', input: { query: `select:${tool}` } }] }
}

/** A clone as git makes it, Node 20, an npm that gets its packages from here, and a Claude Code that was used in two projects. */
async function bareMachine() {
  const scratch = scratchDirectory()
  const [home, bin, clone] = ['home', 'bin', 'iris'].map((name) => join(scratch.path, name)) as [string, string, string]
  const files = execFileSync('git', ['ls-files', '-z', '-co', '--exclude-standard'], {
    cwd: repository,
    encoding: 'utf8',
  })
  for (const file of files.split('\0').filter((name) => name !== '' && !name.startsWith('bench/'))) {
    mkdirSync(dirname(join(clone, file)), { recursive: true })
    cpSync(join(repository, file), join(clone, file), { verbatimSymlinks: true })
  }
  mkdirSync(bin, { recursive: true })
  const command = (name: string, text: string): void => {
    writeFileSync(join(bin, name), `#!/bin/sh\n${text}\n`)
    chmodSync(join(bin, name), 0o755)
  }
  command('node', 'echo 20.20.2')
  // As fast as a registry on this disk: packages that are there already, by second names.
  command('npm', `exec cp -al '${join(repository, 'node_modules')}/.' node_modules/`)
  symlinkSync(claudeBinary('2.1.330'), join(bin, 'claude'))
  const project = (name: string): string => join(home, 'projects', name)
  for (const name of ['frontend', 'backend']) mkdirSync(project(name), { recursive: true })
  const used = { hasTrustDialogAccepted: true, allowedTools: [] }
  const state = {
    hasCompletedOnboarding: true,
    customApiKeyResponses: { approved: ['dummy'], rejected: [] },
    projects: { [project('frontend')]: used, [project('backend')]: used },
  }
  writeFileSync(join(home, '.claude.json'), JSON.stringify(state))
  const model = await startScriptedModel({ script })
  return {
    clone,
    env: {
      HOME: home,
      PATH: `${bin}:/usr/bin:/bin`,
      ANTHROPIC_BASE_URL: model.url,
      ANTHROPIC_API_KEY: 'dummy',
      DISABLE_AUTOUPDATER: '1',
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    },
    async [Symbol.asyncDispose]() {
      await endAll(scratch.path)
      await model.close()
      scratch[Symbol.dispose]()
    },
  }
}

test('what the README says first takes a person from a bare clone with Node 20 to an answer between two projects', {
  timeout: 240_000,
}, async () => {
  const [before = '', block = ''] = readme.split('```sh\n')
  const typed = block.slice(0, block.indexOf('```')).trim().split('\n')
  // With the clone before it, and on one screen.
  expect(1 + typed.length).toBeLessThanOrEqual(4)
  expect((before + block).split('\n').findIndex((line) => line === '```')).toBeLessThanOrEqual(40)

  await using machine = await bareMachine()
  await using shell = new Terminal('exec sh', { cwd: machine.clone, env: machine.env })
  await shell.type(typed[0]!)
  await shell.shows('Setting up Iris')
  await shell.displays('Which of these projects may be asked?')
  shell.press(everything + enter)
  await shell.displays('May Claude Code use the tools of Iris')
  // The answer that is chosen already is no.
  shell.press(enter)
  await shell.displays('"claude -p" cannot ask')
  await shell.displays('Next, in a terminal:')
  for (const line of typed.slice(1)) await shell.type(line)
  await shell.shows(`The backend team says:`)
  await shell.shows(fields)
  await shell.type(`${join(machine.clone, 'iris')} sessions`)
  await shell.shows('frontend→backend')
})
