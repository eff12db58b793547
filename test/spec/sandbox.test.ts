import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { sha256 } from '../../src/base/lib/sha256.ts'
import { isolationMeans } from '../../src/platform/machine/isolation-means.ts'
import { taggedProcesses } from '../../src/platform/machine/process-tag.ts'
import { able } from '../support/able.ts'
import { ask, callTool, refusal } from '../support/call-tool.ts'
import { eventually } from '../support/eventually.ts'
import { TestIris } from '../support/iris.ts'
import { obedient } from '../support/obedient.ts'
import { bothVersions, claudeBinary, claudeVersions } from '../support/real-claude.ts'
import { scratchDirectory } from '../support/scratch.ts'

const means = await isolationMeans(process.env['PATH'] ?? '')
const [newest, older] = bothVersions
const box = { grantPermission: 'yes', dangerous: true, isolation: 'sandbox' }
const teams = {
  frontend: {},
  open: { ...box, isolation: 'none' },
  [newest]: box,
  [older]: { ...box, claudePath: claudeBinary(older) },
}

const scratch = scratchDirectory()
let iris: TestIris
beforeAll(async () => {
  able(means.sandbox)
  iris = await TestIris.start({ script: obedient, teams, settings: { claudePath: claudeBinary(newest) } })
  writeFileSync(join(iris.world.root, 'diary'), 'mine')
  mkdirSync(iris.world.claudeDirectory, { recursive: true })
  writeFileSync(join(iris.world.claudeDirectory, 'settings.json'), '{}')
})
afterAll(async () => {
  await iris[Symbol.asyncDispose]()
  scratch[Symbol.dispose]()
})

const fromTeam = 'frontend'
const say = async (team: string, message: string): Promise<string> =>
  (await ask(iris, team, message, { fromTeam })).response ?? ''
/** Whether an agent's shell can do it. $H is the home of Iris, $D the daemon, $U the home of the user. */
const can = async (team: string, command: string): Promise<boolean> => {
  const { home, root } = iris.world
  const said = await say(
    team,
    `run H=${home} U=${root} D=${process.pid}; { ${command}; } >/dev/null 2>&1 && echo yes || echo no`,
  )
  expect(['yes', 'no']).toContain(said.trim())
  return said.trim() === 'yes'
}
const left = () => taggedProcesses(sha256(iris.world.home).slice(0, 16))

test('where there is no sandbox, a team that is to run in one does not run', async () => {
  const isolation = { ...means, sandbox: { lacks: 'bubblewrap is not installed' } }
  await using without = await TestIris.start({ teams: { frontend: {}, boxed: box }, isolation })
  expect(await ask(without, 'boxed', 'say hello', { fromTeam })).toMatchObject({
    status: 'failed',
    detail: expect.stringContaining('bubblewrap'),
  })
  expect(await refusal(without, 'team_wake', { team: 'boxed', fromTeam })).toMatchObject({
    code: 'sandbox_unavailable',
    message: expect.stringContaining('Team "boxed" must run in a sandbox'),
    remedy: expect.stringContaining('apt install bubblewrap'),
  })
  expect(await taggedProcesses(sha256(without.world.home).slice(0, 16))).toEqual([])
  expect(await isolationOf(without, 'boxed')).toEqual({
    level: 'sandbox',
    holds: false,
    detail: 'nothing is started: bubblewrap is not installed',
  })
})

test('team_status says what an agent in a sandbox sees', async () => {
  expect(await isolationOf(iris, newest)).toEqual({
    level: 'sandbox',
    holds: true,
    detail: expect.stringMatching(/^in sight: the project and its conversations, .* the network$/),
  })
})

async function isolationOf(of: TestIris, team: string): Promise<unknown> {
  const { teams: told } = await callTool(of, 'team_status', { team })
  return (told as { isolation: unknown }[])[0]!.isolation
}

const outOfSight = [
  ['the home of Iris', 'ls $H || cat $H/token'],
  ['the home of the user', 'cat $U/diary'],
  ['the project of another team', 'ls $U/projects/frontend'],
  ['the files of others in /tmp', `ls ${scratch.path}`],
  ['the daemon', 'ls /proc/$D || kill -0 $D'],
] as const

describe.each(claudeVersions)('in a sandbox Claude Code %s', (version) => {
  test.each(outOfSight)('does not see %s', async (_what, command) => {
    expect([await can('open', command), await can(version, command)]).toEqual([true, false])
  })

  test('writes in its project and nowhere else', async () => {
    expect(await can(version, 'echo well > made.txt')).toBe(true)
    expect(existsSync(join(iris.world.directory(version), 'made.txt'))).toBe(true)
    for (const place of ['/usr/made', '/etc/made', '$U/.claude/settings.json']) {
      expect(await can(version, `echo ill >> ${place}`)).toBe(false)
    }
    expect(await can(version, 'echo lost > $U/made')).toBe(true)
    expect(existsSync(join(iris.world.root, 'made'))).toBe(false)
  })

  test('does not stand in the list of processes in which a person may have a conversation open', async () => {
    const [own, list] = [
      await say(version, 'run ls $HOME/.claude/sessions'),
      join(iris.world.claudeDirectory, 'sessions'),
    ]
    const [file] = own.match(/^\d+\.json$/m) ?? []
    expect(file).toBeDefined()
    expect(existsSync(join(list, file!))).toBe(false)
  })

  test('goes on with its conversation in the next process', async () => {
    await say(version, 'say remember this')
    await callTool(iris, 'team_sleep', { team: version, fromTeam })
    const again = await ask(iris, version, 'say again', { fromTeam })
    expect(again).toMatchObject({ status: 'completed', response: 'again' })
    expect(again).not.toHaveProperty('contextReset')
    const { userTexts } = iris.world.model.requests.recent.at(-1)!.conversation
    expect(userTexts.join('\n')).toContain('remember this')
  })

  test('ends with the daemon, and all that it started', async () => {
    const started = (): boolean => existsSync(join(iris.world.directory(version), 'started'))
    const working = callTool(iris, 'send_message', {
      toTeam: version,
      fromTeam,
      timeout: -1,
      message: 'run touch started; setsid tail -f /dev/null',
    })
    await eventually(started, 'its tool is at work')
    await working
    expect(await left()).not.toEqual([])
    await iris.daemon.stop(0)
    expect(await left()).toEqual([])
    await iris.restart()
  })
})
