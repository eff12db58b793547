import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { Script } from '../../src/app/demo/script.ts'
import { projectSlug } from '../../src/claude/driver/project-slug.ts'
import { shellQuoted } from '../../src/platform/hosts/shell-words.ts'
import { ask, callTool } from '../support/call-tool.ts'
import { TestIris } from '../support/iris.ts'
import { claudeBinary, claudeVersions, contractVersions, eitherOf } from '../support/real-claude.ts'
import { scratchDirectory } from '../support/scratch.ts'
import { isNightly } from '../support/tier.ts'
import { spoken } from '../support/world.ts'

const fromTeam = 'frontend'

/** Answers with all that was asked, what the file `release` of its directory holds, and the instructions that it read there. */
const script: Script = ({ body, conversation: { step, userTexts, toolResults } }) => {
  if (step === 0) return { toolUses: [{ name: 'Bash', input: { command: 'cat release' } }] }
  const instructions = [...JSON.stringify(body).matchAll(/INSTRUCTIONS OF (\w+)/g)].at(-1)?.[1] ?? 'none'
  return {
    text: `${userTexts.map(spoken).join(', ')}: ${toolResults.map(({ text }) => text).join('')}, ${instructions}`,
  }
}

/** The instructions of a release, which the double does not read. */
const asRead = (instructions: string): string => (isNightly ? instructions : 'none')

/** An Iris whose team `backend` has a link for its path, as a deployment makes it: `current -> releases/1`. */
async function deployed(options: Parameters<typeof TestIris.start>[0] = {}) {
  const scratch = scratchDirectory()
  const release = (name: string): string => join(scratch.path, 'releases', name)
  const current = join(scratch.path, 'current')
  const make = (name: string, what = name): string => {
    mkdirSync(release(name), { recursive: true })
    writeFileSync(join(release(name), 'release'), `release ${what}`)
    writeFileSync(join(release(name), 'CLAUDE.md'), `INSTRUCTIONS OF ${what}`)
    return release(name)
  }
  const lead = (directory: string): void => {
    rmSync(current, { force: true })
    symlinkSync(directory, current)
  }
  const deploy = (name: string): void => lead(make(name))
  deploy('1')
  const iris = await TestIris.start({
    script,
    teams: { frontend: {}, backend: { path: current, grantPermission: 'yes', dangerous: true } },
    ...options,
  })
  const isKeptFor = (directory: string, sessionId: string): boolean =>
    existsSync(join(iris.world.claudeDirectory, 'projects', projectSlug(realpathSync(directory)), `${sessionId}.jsonl`))
  return {
    iris,
    root: scratch.path,
    current,
    release,
    make,
    lead,
    deploy,
    isKeptFor,
    async [Symbol.asyncDispose]() {
      await iris[Symbol.asyncDispose]()
      scratch[Symbol.dispose]()
    },
  }
}

describe.each(contractVersions)('a team whose path is a link, with Claude Code %s', (version) => {
  const start = () => deployed({ settings: { claudePath: claudeBinary(version) } })

  test('is answered from where the link leads now, also by a living process, in the same conversation', async () => {
    await using stage = await start()
    const { iris, release, deploy, isKeptFor } = stage
    const first = await ask(iris, 'backend', 'one', { fromTeam })
    expect(first.response).toBe('one: release 1, 1')
    deploy('2')
    const second = await ask(iris, 'backend', 'two', { fromTeam })
    expect(second).toMatchObject({ response: 'one, two: release 2, 2', sessionId: first.sessionId })
    expect(second).not.toHaveProperty('contextReset')
    expect([release('1'), release('2')].map((place) => isKeptFor(place, first.sessionId))).toEqual([false, true])
    expect(await ask(iris, 'backend', 'three', { fromTeam })).toMatchObject({
      response: 'one, two, three: release 2, 2',
    })
    expect(iris.rows('SELECT status FROM team_sessions')).toHaveLength(1)
  })
})

describe.each(claudeVersions)('a team of Claude Code %s whose path is a link', (version) => {
  const start = () => deployed(eitherOf(version))

  test('keeps its conversation while it sleeps, although the former directory is gone', async () => {
    await using stage = await start()
    const { iris, release, deploy } = stage
    const { sessionId } = await ask(iris, 'backend', 'one', { fromTeam })
    await callTool(iris, 'team_sleep', { team: 'backend', fromTeam })
    deploy('2')
    rmSync(release('1'), { recursive: true })
    const next = await ask(iris, 'backend', 'two', { fromTeam })
    expect(next).toMatchObject({ response: `one, two: release 2, ${asRead('2')}`, sessionId })
    expect(next).not.toHaveProperty('contextReset')
  })

  test('keeps its conversation while Iris is stopped', async () => {
    await using stage = await start()
    const { iris, deploy } = stage
    const { sessionId } = await ask(iris, 'backend', 'one', { fromTeam })
    await iris.daemon.stop(0)
    deploy('2')
    await iris.restart()
    const next = await ask(iris, 'backend', 'two', { fromTeam })
    expect(next).toMatchObject({ response: `one, two: release 2, ${asRead('2')}`, sessionId })
    expect(next).not.toHaveProperty('contextReset')
  })

  test('keeps its conversation on another machine, where Iris looks at each start', async () => {
    await using stage = await start()
    const { iris, current, deploy, root } = stage
    // A shell of this machine with its own home, in place of another one.
    const words = Object.entries({ ...iris.world.env, HOME: mkdtempSync(join(root, 'home-')) }).map(([name, value]) =>
      shellQuoted(`${name}=${value}`),
    )
    const there = { path: current, remote: ['env', '-i', ...words, 'sh'].join(' '), claudePath: claudeBinary(version) }
    const reloaded = iris.event('config-reloaded')
    iris.world.writeConfig({ teams: { frontend: {}, backend: { ...there, grantPermission: 'yes', dangerous: true } } })
    await reloaded
    const { sessionId } = await ask(iris, 'backend', 'one', { fromTeam })
    await callTool(iris, 'team_sleep', { team: 'backend', fromTeam })
    deploy('2')
    const next = await ask(iris, 'backend', 'two', { fromTeam })
    expect(next).toMatchObject({ response: 'one, two: release 2, 2', sessionId })
    expect(next).not.toHaveProperty('contextReset')
  })

  test('is answered from the directory that took the place of its own', async () => {
    await using stage = await start()
    const { iris, release, make } = stage
    const { sessionId } = await ask(iris, 'backend', 'one', { fromTeam })
    renameSync(release('1'), release('old'))
    make('1', 'again')
    const next = await ask(iris, 'backend', 'two', { fromTeam })
    expect(next).toMatchObject({ response: `one, two: release again, ${asRead('again')}`, sessionId })
  })
})

describe('a path that leads elsewhere', () => {
  test('is refused where the rules of the configuration refuse it, and nothing runs in the former directory', async () => {
    await using stage = await deployed({ claude: 'fake' })
    const { iris, lead, deploy } = stage
    const { sessionId } = await ask(iris, 'backend', 'one', { fromTeam })
    // It is the directory of another team.
    lead(iris.world.directory('frontend'))
    const refused = await ask(iris, 'backend', 'two', { fromTeam })
    expect(refused).toMatchObject({
      status: 'failed',
      detail: expect.stringContaining('leads to the directory of team frontend'),
    })
    deploy('2')
    const next = await ask(iris, 'backend', 'three', { fromTeam })
    expect(next).toMatchObject({ status: 'completed', sessionId })
    expect(next.response).toMatch(/release 2/)
  })

  test('puts the new directory in force as a saved configuration does', async () => {
    await using stage = await deployed({ claude: 'fake' })
    await ask(stage.iris, 'backend', 'one', { fromTeam })
    stage.deploy('2')
    await ask(stage.iris, 'backend', 'two', { fromTeam })
    expect(await stage.iris.event('config-reloaded')).toMatchObject({ keys: ['teams.backend.path'], needsRestart: [] })
  })

  test('starts a process again only where the directory is another one', async () => {
    await using stage = await deployed({ claude: 'fake' })
    const { iris, release, lead } = stage
    let starts = 0
    iris.daemon.events$.subscribe(({ type }) => (starts += type === 'process-spawned' ? 1 : 0))
    await ask(iris, 'backend', 'one', { fromTeam })
    // Another link to the same directory.
    lead(join(release('1'), '..', '..', 'releases', '1'))
    await ask(iris, 'backend', 'two', { fromTeam })
    expect(starts).toBe(1)
    stage.deploy('2')
    await ask(iris, 'backend', 'three', { fromTeam })
    await ask(iris, 'backend', 'four', { fromTeam })
    expect(starts).toBe(2)
  })
})
