import { existsSync, readlinkSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { Script } from '../../src/app/demo/script.ts'
import { sha256 } from '../../src/base/lib/sha256.ts'
import { taggedProcesses } from '../../src/platform/machine/process-tag.ts'
import { ask, callTool, refusal } from '../support/call-tool.ts'
import { eventually } from '../support/eventually.ts'
import { TestIris } from '../support/iris.ts'
import { claudeBinary, claudeVersions, contractVersions, eitherOf } from '../support/real-claude.ts'
import { spoken } from '../support/world.ts'

const fromTeam = 'frontend'
const three = { frontend: {}, backend: {}, mobile: {} }
const yes = { grantPermission: 'yes', dangerous: true }

/**
 * A model that waits for a gate if the message says hold, and creates a file before and after it if the message says
 * work.
 */
function held() {
  const gate = Promise.withResolvers<void>()
  const reached = Promise.withResolvers<void>()
  const touch = (name: string) => ({
    toolUses: [{ name: 'Bash', input: { command: `touch ${name}.txt`, description: 'make a file' } }],
  })
  const script: Script = async ({ body, conversation: { lastUserText, toolResults, step } }) => {
    const message = spoken(lastUserText)
    if (message === 'which model') return { text: body.model }
    if (message === 'work' && step === 0) return touch('before')
    if (message === 'hold' || message === 'work') {
      reached.resolve()
      await gate.promise
    }
    if (message === 'work' && step === 1) return touch('after')
    const refused = toolResults.find(({ isError }) => isError)
    return { text: refused ? `refused: ${refused.text}` : `answer to ${message}` }
  }
  return { script, open: gate.resolve, reached: reached.promise }
}

async function status(iris: TestIris) {
  const { teams } = await callTool(iris, 'team_status', { team: 'backend' })
  return teams as [{ sessions: [{ pid: number }] }]
}

describe.each(contractVersions)('with Claude Code %s, a saved config.yaml', (version) => {
  const settings = { claudePath: claudeBinary(version) }

  test('moves a team to another directory, where its conversation goes on', { tags: ['thorough'] }, async () => {
    await using iris = await TestIris.start({ settings, teams: { frontend: {}, backend: {} } })
    const { world } = iris
    await ask(iris, 'backend', 'one', { fromTeam })
    world.writeConfig({ teams: { frontend: {}, backend: { path: world.root } } })
    await iris.event('process-terminated', ({ why }) => why === 'its settings have changed')
    const answer = await ask(iris, 'backend', 'two', { fromTeam })
    expect(answer).toMatchObject({ status: 'completed', response: 'You said: two' })
    expect(answer.contextReset).toBeUndefined()
    const [{ pid }] = (await status(iris))[0].sessions
    expect(readlinkSync(`/proc/${pid}/cwd`)).toBe(world.root)
  })
})

describe.each(claudeVersions)('with Claude Code %s, another saved config.yaml', (version) => {
  const either = eitherOf(version)

  test('adds a team that can be asked at once', async () => {
    await using iris = await TestIris.start({ ...either, teams: ['frontend'] })
    expect(await refusal(iris, 'send_message', { toTeam: 'backend', message: 'hello' })).toMatchObject({
      code: 'unknown_team',
    })
    iris.world.writeConfig({ teams: { frontend: {}, backend: {} } })
    expect(await iris.event('config-reloaded')).toMatchObject({
      teamsAdded: ['backend'],
      teamsRemoved: [],
      keys: [],
      needsRestart: [],
    })
    expect(await ask(iris, 'backend', 'hello')).toMatchObject({ status: 'completed', response: 'You said: hello' })
  })

  test('removes a team that is busy: it ends what it had accepted, is asked nothing more, and its process goes', async () => {
    const { script, open, reached } = held()
    await using iris = await TestIris.start({ ...either, script, teams: { ...three, backend: yes } })
    const running = ask(iris, 'backend', 'work', { fromTeam })
    await reached
    const queued = ask(iris, 'backend', 'queued', { fromTeam })
    await eventually(() => iris.rows('SELECT id FROM turns').length === 2, 'both are accepted')
    iris.world.writeConfig({ teams: { frontend: {}, mobile: {} } })
    expect(await iris.event('config-reloaded')).toMatchObject({ teamsRemoved: ['backend'] })
    expect(await refusal(iris, 'send_message', { toTeam: 'backend', message: 'more' })).toMatchObject({
      code: 'unknown_team',
      message: expect.stringContaining('"backend" was removed from config.yaml'),
    })
    expect(await callTool(iris, 'list_teams')).toMatchObject({ totalTeams: 2 })
    open()
    expect(await running).toMatchObject({ status: 'completed', response: 'answer to work' })
    expect(await queued).toMatchObject({ status: 'completed', response: 'answer to queued' })
    expect(await iris.event('process-terminated')).toMatchObject({ teamName: 'backend', why: 'its team was removed' })
    expect(await taggedProcesses(sha256(iris.world.home).slice(0, 16))).toEqual([])
  })

  test('makes permissions stricter for the turn that is running', { tags: ['thorough'] }, async () => {
    const { script, open, reached } = held()
    await using iris = await TestIris.start({
      ...either,
      script,
      teams: { frontend: {}, backend: yes },
    })
    const made = (name: string) => existsSync(join(iris.world.directory('backend'), `${name}.txt`))
    const running = ask(iris, 'backend', 'work', { fromTeam })
    await reached
    expect([made('before'), made('after')]).toEqual([true, false])
    iris.world.writeConfig({ teams: { frontend: {}, backend: { grantPermission: 'no' } } })
    expect(await iris.event('config-reloaded')).toMatchObject({
      keys: ['teams.backend.dangerous', 'teams.backend.grantPermission'],
    })
    open()
    const response = expect.stringMatching(/^refused: .*Team "backend" may not use Bash: its owner does not allow/)
    expect(await running).toMatchObject({ status: 'completed', response })
    expect(made('after')).toBe(false)
  })

  test('gives a team another model: its next turn has it, and the conversation goes on', {
    tags: ['thorough'],
  }, async () => {
    const { script } = held()
    await using iris = await TestIris.start({
      ...either,
      script,
      teams: { frontend: {}, backend: { model: 'opus' } },
    })
    const first = await ask(iris, 'backend', 'which model', { fromTeam })
    iris.world.writeConfig({ teams: { frontend: {}, backend: { model: 'haiku' } } })
    const { why } = await iris.event('process-terminated')
    expect(why).toBe('its settings have changed')
    const second = await ask(iris, 'backend', 'which model', { fromTeam })
    expect([first.response, second.response]).toEqual([
      expect.stringContaining('opus'),
      expect.stringContaining('haiku'),
    ])
    expect(second.sessionId).toBe(first.sessionId)
    expect(second.contextReset).toBeUndefined()
  })
})

describe('a saved config.yaml', () => {
  test('with a mistake changes nothing and is shown until it is fixed', async () => {
    await using iris = await TestIris.start({ claude: 'either', teams: ['frontend', 'backend'] })
    const file = join(iris.world.home, 'config.yaml')
    writeFileSync(file, 'settings:\n  maxProceses: 4\n')
    const { problems, text } = await iris.event('config-rejected')
    expect(problems).toMatchObject([{ file, line: 2, column: 3, key: 'settings.maxProceses' }])
    expect(text).toContain('Did you mean maxProcesses?')
    const configProblem = expect.stringContaining('Did you mean maxProcesses?')
    expect(await callTool(iris, 'list_teams')).toMatchObject({ totalTeams: 2, configProblem })
    expect(await callTool(iris, 'team_status')).toMatchObject({ configProblem })
    expect(await ask(iris, 'backend', 'hello')).toMatchObject({ response: 'You said: hello' })
    iris.world.writeConfig()
    expect(await iris.event('config-reloaded')).toMatchObject({ teamsAdded: [], teamsRemoved: [], keys: [] })
    expect(await callTool(iris, 'list_teams')).not.toHaveProperty('configProblem')
  })

  test('that is deleted or emptied changes nothing and is shown', { tags: ['thorough'] }, async () => {
    await using iris = await TestIris.start({ claude: 'either', teams: ['frontend', 'backend'] })
    const file = join(iris.world.home, 'config.yaml')
    rmSync(file)
    expect(await iris.event('config-rejected')).toMatchObject({ text: expect.stringContaining('the file is gone') })
    writeFileSync(file, '\n', { mode: 0o600 })
    await iris.event('config-rejected', ({ text }) => text.includes('the file is empty'))
    expect(await ask(iris, 'backend', 'hello')).toMatchObject({ response: 'You said: hello' })
    writeFileSync(file, 'settings: { httpPort: 0 }\nteams: {}\n')
    expect(await iris.event('config-reloaded')).toMatchObject({ teamsRemoved: ['frontend', 'backend'] })
    expect(await callTool(iris, 'list_teams')).toMatchObject({ totalTeams: 0 })
  })
})
