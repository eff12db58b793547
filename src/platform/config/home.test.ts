import { chmodSync, mkdirSync, statSync } from 'node:fs'
import { userInfo } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { temporaryHome } from '../../../test/support/temporary-home.ts'
import type { IrisError } from '../../base/protocol/error.ts'
import { homePaths, irisHome } from './home.ts'

test.each([
  [{ HOME: '/home/ada' }, '/home/ada/.iris'],
  [{ HOME: '/home/ada', IRIS_HOME: '' }, '/home/ada/.iris'],
  [{ HOME: '/home/ada', IRIS_HOME: '/srv/iris/' }, '/srv/iris'],
  [{ HOME: '/home/ada', IRIS_HOME: '~' }, '/home/ada'],
  [{ HOME: '/home/ada', IRIS_HOME: '~/srv/../iris' }, '/home/ada/iris'],
])('with %j Iris lives in %s', (env, home) => {
  expect(irisHome(env)).toBe(home)
})

test('a relative IRIS_HOME is refused with the absolute path to write', () => {
  expect(() => irisHome({ HOME: '/home/ada', IRIS_HOME: 'iris' })).toThrow(
    expect.objectContaining({
      code: 'config_invalid',
      message: 'IRIS_HOME is "iris", which is not an absolute path.',
      remedy: `Set it to an absolute path, for example ${process.cwd()}/iris.`,
    }),
  )
})

test.each([{ HOME: 'ada' }, { HOME: 'ada', IRIS_HOME: '~/iris' }])('so is a relative HOME: %j', (env) => {
  expect(() => irisHome(env)).toThrow(
    expect.objectContaining({
      code: 'config_invalid',
      message: 'HOME is "ada", which is not an absolute path.',
      remedy: `Set it to an absolute path, for example ${process.cwd()}/ada.`,
    }),
  )
})

test.each(['/', '//', '/srv/..', '~'])(
  'the root directory is refused, which would be shut to all others: %s',
  (given) => {
    expect(() => irisHome({ HOME: '/', IRIS_HOME: given })).toThrow(
      expect.objectContaining({ code: 'config_invalid', remedy: expect.stringContaining('only Iris uses') }),
    )
  },
)

test('without HOME the home directory is the one that the system knows for the user', () => {
  expect(irisHome({})).toBe(`${userInfo().homedir}/.iris`)
})

test('every file has its place in the home', () => {
  expect(homePaths('/home/ada/.iris')).toEqual({
    config: '/home/ada/.iris/config.yaml',
    configBefore: '/home/ada/.iris/config.yaml.before',
    teamsJson: '/home/ada/.iris/teams.json',
    homeRecord: '/home/ada/.iris/home.json',
    homeRecordCopy: '/home/ada/.iris/data/home.json',
    database: '/home/ada/.iris/data/team-sessions.db',
    transcripts: '/home/ada/.iris/data/transcripts',
    streams: '/home/ada/.iris/output_streams',
    daemonFile: '/home/ada/.iris/daemon.json',
    probes: '/home/ada/.iris/data/probe.json',
    installed: '/home/ada/.iris/installed.json',
    socket: '/home/ada/.iris/daemon.sock',
    token: '/home/ada/.iris/token',
    owner: '/home/ada/.iris/owner',
    tokens: '/home/ada/.iris/tokens',
    tokenKey: '/home/ada/.iris/data/tokens.key',
    clusterKey: '/home/ada/.iris/data/cluster.key',
    invitedHosts: '/home/ada/.iris/data/invited-hosts',
    invitedKeys: '/home/ada/.iris/data/invited-keys.json',
    keeper: '/home/ada/.iris/data/keeper.json',
    madeStreams: '/home/ada/.iris/data/made-streams',
    logins: '/home/ada/.iris/data/logins.json',
    storeMemory: '/home/ada/.iris/store.json',
    searchIndex: '/home/ada/.iris/data/search.db',
    sessionMcp: '/home/ada/.iris/data/session-mcp',
    sandboxLogins: '/home/ada/.iris/data/sandbox-logins',
    lock: '/home/ada/.iris/data/lock.db',
    starting: '/home/ada/.iris/data/starting',
    log: '/home/ada/.iris/logs/daemon.log',
  })
})

describe('a directory that is not for Iris', () => {
  /** True, or what Iris says about it. */
  async function livesIn(files: readonly string[]) {
    await using disk = await temporaryHome()
    const home = join(disk.root, 'shared')
    mkdirSync(home, { mode: 0o755 })
    chmodSync(home, 0o1777)
    for (const file of files) await disk.write(join('shared', file), '')
    try {
      return irisHome({ HOME: disk.root, IRIS_HOME: home }) === home
    } catch (error) {
      if ((statSync(home).mode & 0o7777) !== 0o1777) return 'its mode was changed'
      return (error as IrisError).message.replace(disk.root, '/r')
    }
  }

  test.each([[['notes.txt']], [['data/rows.csv', 'logs/x.log', 'token', 'owner']], [['.bashrc']]])(
    'is refused as it is: %j',
    async (files) => {
      expect(await livesIn(files)).toContain(
        'IRIS_HOME is "/r/shared". That directory has files, and none of them is Iris',
      )
    },
  )

  test.each([
    ['an empty one', []],
    ['a new disk', ['lost+found/x']],
    ['one with a configuration', ['config.yaml', 'secrets/slack']],
    ['one of the first Iris', ['teams.json', 'x']],
    ['one that a daemon has used', ['data/lock.db', 'x']],
    ['one whose daemon never came up', ['logs/daemon.log']],
  ])('is not %s', async (_, files) => {
    expect(await livesIn(files)).toBe(true)
  })

  test('is not the usual place, where somebody has put a file before the first start', async () => {
    await using disk = await temporaryHome()
    await disk.write('.iris/claude-token', '')
    expect(irisHome({ HOME: disk.root })).toBe(join(disk.root, '.iris'))
  })
})
