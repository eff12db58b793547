import { execFile } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Script } from '../../src/app/demo/script.ts'
import { eventually } from '../support/eventually.ts'
import { git, makeRepository } from '../support/git.ts'
import { TestIris } from '../support/iris.ts'
import { JumpingClock } from '../support/jumping-clock.ts'
import { irisCommand } from '../support/program.ts'
import { spoken } from '../support/world.ts'

const page = (name: string) => readFileSync(new URL(`../../docs/guide/${name}.md`, import.meta.url), 'utf8')
const guide = page('insight') + page('drift')
/** A command of the pages that begins so, as it is written there. */
const command = (begin: string): string => {
  const found = guide.split(/\n\$ |`|\n/).find((text) => text.startsWith(`iris ${begin}`))
  if (found === undefined) throw new Error(`the guide has no command that begins with iris ${begin}`)
  return found
}

// Times of files are compared with it.
const clock = new JumpingClock({ goesOn: true })
let iris: TestIris
let env: Record<string, string>
let project: string

/** Where the orders are is looked up in a file of backend; everything else is known. */
const script: Script = ({ conversation: { lastUserText, step } }) => {
  const said = spoken(lastUserText)
  if (said.includes('orders endpoint') && lastUserText.includes('to="backend"') && step === 0)
    return { toolUses: [{ name: 'Read', input: { file_path: join(project, 'src/api.ts') } }] }
  return { text: said.includes('orders') ? 'In src/api.ts.' : 'In src/invoices.ts.' }
}

/** As a newcomer types it, in the project of the team frontend; with what is noted beside the output, or without. */
const typed = async (code: string, noted = '2>&1'): Promise<string> => {
  const run = promisify(execFile)('sh', ['-ec', `(${code}) ${noted}`], { cwd: iris.world.directory('frontend'), env })
  run.child.stdin?.end()
  return (await run).stdout
}
const change = (text: string): void => writeFileSync(join(project, 'src/api.ts'), text)
const claudeMd = () => readFileSync(join(project, 'CLAUDE.md'), 'utf8')

beforeAll(async () => {
  iris = await TestIris.start({
    claude: 'fake',
    script,
    clock,
    teams: { frontend: {}, backend: { grantPermission: 'yes', dangerous: true } },
  })
  project = iris.world.directory('backend')
  mkdirSync(join(project, 'src'))
  change('one\n')
  makeRepository(project)
  const programs = join(iris.world.root, 'programs')
  mkdirSync(programs)
  writeFileSync(join(programs, 'iris'), `#!/bin/sh\nexec ${irisCommand} "$@"\n`, { mode: 0o755 })
  env = { ...iris.world.env, IRIS_HOME: iris.world.home, PATH: `${programs}:${iris.world.env['PATH']}` }
})
afterAll(() => iris[Symbol.asyncDispose]())

test('an answer that is out of date: the next answer, iris insight drift and iris why name the file and the commit', async () => {
  expect(await typed('iris tell backend "Where is the orders endpoint defined?"')).toContain('In src/api.ts.')
  expect(await typed('iris insight drift')).toContain('No file behind an answer given since')
  change('two\n')
  git(project, '-c', 'user.name=Somebody', 'commit', '--quiet', '--all', '--message=second')
  const commit = git(project, 'rev-parse', 'HEAD').trim().slice(0, 8)
  const listed = await typed('iris insight drift --team backend')
  const [turn = ''] = /[0-9a-f]{8}$/.exec(listed.trimEnd()) ?? []
  expect(listed).toMatch(new RegExp(`^src/api\\.ts +${commit} Somebody +frontend → backend +Where is the orders`))
  const next = await typed(command('tell backend "and the invoices?"'))
  expect(next).toContain('In src/invoices.ts.')
  const line = `(src/api.ts has changed in ${commit} since the answer to "Where is the orders endpoint defined?". All: iris insight drift)`
  expect(guide).toContain(line.replace(commit, '3f2a9c01'))
  expect(next).toContain(line)
  expect(await typed('iris tell backend "and then?"')).not.toContain('has changed')
  expect(await typed(`iris why ${turn}`)).toContain('src/api.ts, which the answer relied on, has changed')
})

test('with onChange it is said at once, and in the audit; where nothing could be said, it is refused', async () => {
  const asking = command('tell backend "…" --on-change').replace('…', 'Where is the orders endpoint now?')
  expect(await typed(asking)).toContain('In src/api.ts.')
  await typed('iris insight drift')
  change('three\n')
  await eventually(() => clock.pending(15_000) > 0, 'the files are compared every 15 seconds')
  await clock.jump(15_000)
  await iris.event('answer-outdated')
  expect(await typed('iris audit')).toContain('answer.outdated')
  await expect(typed(`${asking} --at 9:00`)).rejects.toMatchObject({
    stdout: expect.stringContaining('Nobody waits for the answer of a scheduled message.'),
  })
})

test('an earlier answer is given again with its date, for a person and for a program, until the file changes', async () => {
  const asking = command('tell backend "Where is the orders endpoint?" --fresh')
  const noted = () => iris.daemon.parts.keptAnswers.noted()
  expect(await typed(asking)).not.toContain('This answer is from')
  await noted()
  const date = new Date(clock.now()).toISOString().slice(0, 10)
  const label = new RegExp(`This answer is from ${date}T.*: nothing that it relies on has changed since`)
  const shown = /This answer is from [\d-]{10} [\d:]{8}: nothing that it relies on has changed since/
  const again = await typed(asking)
  expect(again).toContain('In src/api.ts.')
  expect(again).toMatch(shown)
  const { kept, turnId, response } = JSON.parse(await typed(`${asking} --json`, '')) as Record<string, unknown>
  expect({ kept, response }).toEqual({
    kept: { answeredAt: expect.any(Number), note: expect.stringMatching(label) },
    response: 'In src/api.ts.',
  })
  expect(await typed(asking.replace('backend', 'backend,frontend'))).toMatch(shown)
  expect(await typed(`iris why ${String(turnId)}`)).toContain('The answer was reused: 3 times')
  expect(await typed('iris audit')).toContain('answer.kept')
  change('four\n')
  expect(await typed(asking)).not.toMatch(label)
})

test('what was asked again and again is a pattern and a suggestion, which is applied or refused', async () => {
  await typed('iris tell backend "Where are the invoices kept?"')
  await typed('iris tell backend "Where are invoices kept, please?"')
  await clock.jump(1)
  const patterns = await typed(command('insight patterns --since 7d'))
  expect(patterns).toMatch(/^Read \d+ messages from .* to .*\.\n\nAsked repeatedly:\n +\d times +frontend → backend +/)
  const reflected = await typed(command('insight reflect'))
  expect(reflected).toMatch(/^Read \d+ messages from/)
  expect(reflected).toContain(/\n(Asked twice or more; .*:)\n/.exec(guide)![1])
  const idOf = (question: string): string =>
    new RegExp(`\n +([0-9a-f]{8}) +\\d times +frontend → backend +${question}`).exec(reflected)?.[1] ?? 'none'
  const queries = await typed('iris insight reflect --queries')
  const [, asked = '', sql = ''] =
    / +(\d) times +frontend → backend +Where are the invoices kept.*\n((?: {6}.*\n)+)/.exec(queries) ?? []
  {
    using store = new DatabaseSync(join(iris.world.home, 'data/team-sessions.db'), { readOnly: true })
    expect(store.prepare(sql).all()).toHaveLength(Number(asked))
  }
  const applied = await typed(`iris insight apply ${idOf('Where are the invoices kept')}`)
  expect(applied).toMatch(/\n\+- Where are the invoices kept.* In src\/invoices\.ts\. .*\n[^]*Applied\.\n/)
  expect(claudeMd()).toMatch(/## Answers to repeated questions\n\n- Where are the invoices kept/)
  const before = claudeMd()
  expect(await typed(`iris insight refuse ${idOf('Where is the orders endpoint')}`)).toContain(
    "We won't suggest it again",
  )
  expect(claudeMd()).toBe(before)
  const after = await typed('iris insight reflect')
  expect(after).toContain('Applied so far: 1. Dismissed: 1.')
  expect(after).not.toMatch(/frontend → backend +Where/)
})

test('a fault that Iris healed is listed with its time, and each part has its switch', async () => {
  const config = join(iris.world.home, 'config.yaml')
  const good = readFileSync(config, 'utf8')
  writeFileSync(config, 'teams: [none')
  await iris.event('config-rejected')
  writeFileSync(config, good)
  await iris.event('fault-healed', ({ fault }) => fault === 'rejected_config')
  expect(await typed('iris insight healings')).toMatch(/rejected_config +config\.yaml +healed in \d+(?:\.\d s| ms)/)
  const says = { patterns: 'patterns', drift: 'drift', healing: 'healings', reflection: 'reflect' }
  for (const [key, verb] of Object.entries(says)) {
    expect(guide).toMatch(new RegExp(`\\| \`${key}\``))
    const reloaded = iris.event('config-reloaded', ({ keys }) => keys.some((each) => each.includes(key)))
    await typed(`iris config set insight.${key} false`)
    await reloaded
    expect(await typed(`iris insight ${verb}`)).toContain(`insight.${key} is false in config.yaml.`)
  }
})
