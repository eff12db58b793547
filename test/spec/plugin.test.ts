import { execFile } from 'node:child_process'
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import type { Script } from '../../src/app/demo/script.ts'
import { Installation, irisCommand } from '../support/program.ts'
import { claudeBinary } from '../support/real-claude.ts'
import { spoken } from '../support/world.ts'

const checkout = fileURLToPath(new URL('../..', import.meta.url))
const claude = claudeBinary('2.1.330')
const run = promisify(execFile)
/** A Claude Code starts a bridge, which starts a daemon, which starts another Claude Code. */
const slow = 120_000

/** The person's own Claude Code looks for the tool and calls it; the one of the other team answers. */
const asks =
  (tool: string, input: object): Script =>
  ({ conversation: { allToolResults, toolNames, lastUserText } }) => {
    if (lastUserText.includes('<iris-message')) return { text: `backend heard ${spoken(lastUserText)}` }
    const name = `mcp__plugin_iris_iris__${tool}`
    const result = allToolResults.find((each) => each.name === name)
    if (result) return { text: `told: ${result.text}` }
    // What was found is said as a text of the user's side, and its schema may come without its own name.
    const isLoaded = toolNames.includes(name) || lastUserText === 'Tool loaded.'
    return { toolUses: [isLoaded ? { name, input } : { name: 'ToolSearch', input: { query: `select:${name}` } }] }
  }

/** A person's terminal in which `iris` is installed. */
async function person(script: Script) {
  const iris = await Installation.create({ script, teams: ['frontend', 'backend'] })
  const bin = join(iris.world.root, 'bin')
  mkdirSync(bin)
  writeFileSync(join(bin, 'iris'), `#!/bin/sh\nexec ${irisCommand} "$@"\n`)
  chmodSync(join(bin, 'iris'), 0o755)
  const env = { ...iris.env, PATH: `${bin}:${iris.env['PATH']}` }
  const prompt = async (text: string): Promise<string> => {
    const args = ['-p', text, '--plugin-dir', join(checkout, 'plugin'), '--allowedTools', 'mcp__plugin_iris_iris']
    const running = run(claude, args, { cwd: iris.world.directory('frontend'), env, timeout: slow })
    running.child.stdin?.end()
    return (await running).stdout
  }
  return { iris, env, prompt }
}

test('Claude Code finds nothing wrong with the plugin and with the marketplace that offers it', async () => {
  const { iris, env } = await person(() => ({ text: '' }))
  await using _ = iris
  for (const path of ['plugin', '.']) {
    const { stdout } = await run(claude, ['plugin', 'validate', join(checkout, path)], { env, timeout: slow })
    expect(stdout).toContain('Validation passed')
  }
})

test('the commands of the page add the marketplace and the plugin of a clone', { timeout: slow }, async () => {
  const { iris, env } = await person(() => ({ text: '' }))
  await using _ = iris
  const page = readFileSync(join(checkout, 'docs/guide/connect.md'), 'utf8')
  const lines = [...page.matchAll(/^\/(plugin .+)$/gm)].map(([, line]) => line!.split(' '))
  expect(lines).toHaveLength(2)
  for (const words of lines) await run(claude, words, { cwd: checkout, env, timeout: slow })
  const { stdout } = await run(claude, ['plugin', 'list'], { cwd: checkout, env, timeout: slow })
  expect(stdout).toContain('iris@iris')
})

test('with the plugin a Claude Code asks another team as the team in whose directory it was started', {
  timeout: slow,
}, async () => {
  const { iris, prompt } = await person(asks('send_message', { toTeam: 'backend', message: 'hello' }))
  await using _ = iris
  expect(await prompt('Ask the backend team.')).toContain('backend heard hello')
  expect(iris.rows('SELECT from_team, to_team FROM team_sessions')).toEqual([
    { from_team: 'frontend', to_team: 'backend' },
  ])
})

test('/iris:teams says what can be asked', { timeout: slow }, async () => {
  const { iris, prompt } = await person(asks('list_teams', {}))
  await using _ = iris
  expect(await prompt('/iris:teams')).toContain('"backend"')
})

test('the plugin, the registry entry and the package are of one version', () => {
  const read = (path: string) => JSON.parse(readFileSync(join(checkout, path), 'utf8'))
  const { name, version } = read('package.json')
  expect(read('plugin/.claude-plugin/plugin.json')).toMatchObject({ version })
  expect(read('server.json')).toMatchObject({ version, packages: [{ identifier: name, version }] })
})
