import { existsSync, mkdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { newcomer } from '../support/newcomer.ts'
import { irisCommand } from '../support/program.ts'
import { Terminal } from '../support/terminal.ts'

/** What works in each directory where PATH does not lead to this checkout. */
const typed = join(import.meta.dirname, '../../iris')
const [down, enter, space] = ['\u001b[B', '\r', ' ']

/** Without a configuration, and with projects in which Claude Code has been used, the first one last. */
async function withoutConfig(...names: string[]) {
  const person = await newcomer({ hasClaude: false })
  const { root, home } = person
  const config = join(home, 'config.yaml')
  rmSync(config)
  const paths = names.map((name) => join(root, name))
  for (const [index, path] of paths.entries()) {
    mkdirSync(path, { recursive: true })
    const conversations = join(root, '.claude/projects', path.replaceAll(/[^A-Za-z0-9]/g, '-'))
    mkdirSync(conversations, { recursive: true })
    writeFileSync(join(conversations, 'x.jsonl'), '{}')
    utimesSync(join(conversations, 'x.jsonl'), 1_000_000 + index, 1_000_000 + index)
  }
  const projects = Object.fromEntries(
    [root, join(root, 'gone'), join(root, '.claude'), ...paths].map((path) => [path, {}]),
  )
  writeFileSync(join(root, '.claude.json'), JSON.stringify({ projects }))
  const args = ['install', '--project', person.project]
  return { ...person, config, paths, args, text: () => readFileSync(config, 'utf8') }
}

test('where nobody can be asked a configuration without teams is made, and the projects that may be some are listed', async () => {
  await using person = await withoutConfig('first', 'my shop', 'last')
  const [first, shop, last] = person.paths
  const planned = await person.run(...person.args, '--dry-run')
  expect(planned.stdout).toContain(`Would create ${person.config}`)
  expect(existsSync(person.config)).toBe(false)
  const { stdout } = await person.run(...person.args)
  const lines = `\n  ${typed} add-team ${last}\n  ${typed} add-team '${shop}'\n  ${typed} add-team ${first}\nRun the lines you want, or "${typed} install --yes"`
  expect(stdout).toContain(lines)
  expect(person.text()).toMatch(/^teams: \{\}$/m)
  const told = JSON.parse((await person.run(...person.args, '--json')).stdout)
  expect(told).toMatchObject({ changed: false, projectsFound: [last, shop, first], teamsAdded: [] })
})

test('--yes makes all of them teams, those of one name told apart by what they lie in', async () => {
  await using person = await withoutConfig('old/api', 'external', 'new/api')
  const { stdout } = await person.run(...person.args, '--yes')
  const [old, outer, newer] = person.paths
  expect(stdout).toContain(`api is a team now: ${newer}\n`)
  expect(stdout).toContain(`old-api is a team now: ${old}\n`)
  expect(stdout).toMatch(new RegExp(`-external is a team now: ${outer}\n`))
  expect(await person.run('config', 'validate')).toMatchObject({ code: 0 })
  const before = person.text()
  expect(before).toContain('\n  api:\n    path: ~/new/api\n')
  expect((await person.run(...person.args, '--yes')).stdout).toContain('Nothing was changed.')
  expect(person.text()).toBe(before)
})

test('at a terminal the person chooses', async () => {
  await using person = await withoutConfig('one', 'two', 'three')
  const command = `exec ${irisCommand} ${person.args.join(' ')}`
  await using terminal = new Terminal(command, { cwd: person.root, env: person.iris.env })
  await terminal.shows('Which of these projects may be asked?')
  terminal.press(down + space + enter)
  await terminal.shows(`two is a team now: ${person.paths[1]}`)
  expect(await terminal.exited()).toBe(0)
  expect(person.text()).toMatch(/^teams:\n {2}two:\n {4}path: ~\/two\n$/m)
})

test('at a terminal a person who chooses none learns how to add one later', async () => {
  await using person = await withoutConfig('one')
  await using terminal = new Terminal(`exec ${irisCommand} ${person.args.join(' ')}`, {
    cwd: person.root,
    env: person.iris.env,
  })
  await terminal.shows('Which of these projects may be asked?')
  terminal.press(enter)
  await terminal.shows(`There are no teams yet: "${typed} add-team <path>" makes a project one.`)
  expect(await terminal.exited()).toBe(0)
})
