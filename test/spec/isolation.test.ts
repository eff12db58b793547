import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { isolationMeans } from '../../src/platform/machine/isolation-means.ts'
import { able } from '../support/able.ts'
import { ask, callTool } from '../support/call-tool.ts'
import { TestIris } from '../support/iris.ts'
import { obedient } from '../support/obedient.ts'
import { bothVersions, claudeBinary } from '../support/real-claude.ts'

const { hiding } = await isolationMeans(process.env['PATH'] ?? '')

const [newest, older] = bothVersions
const yes = { grantPermission: 'yes', dangerous: true }
const teams = {
  frontend: {},
  shut: yes,
  shutOlder: { ...yes, claudePath: claudeBinary(older) },
  open: { ...yes, isolation: 'none' },
}
const secret = 'the-key-of-the-owner'

let iris: TestIris
beforeAll(async () => {
  able(hiding)
  iris = await TestIris.start({ script: obedient, teams, settings: { claudePath: claudeBinary(newest) } })
  for (const name of ['owner-key', 'data/key']) writeFileSync(join(iris.world.home, name), secret, { mode: 0o600 })
})
afterAll(() => iris[Symbol.asyncDispose]())

const say = async (team: string, message: string): Promise<string> =>
  (await ask(iris, team, message, { fromTeam: 'frontend' })).response ?? ''
/** Whether an agent's shell can do it. $H is the home of Iris, $D the daemon. */
const can = async (team: string, command: string): Promise<boolean> => {
  const said = await say(
    team,
    `run H=${iris.world.home} D=${process.pid}; { ${command}; } >/dev/null 2>&1 && echo yes || echo no`,
  )
  expect(['yes', 'no']).toContain(said.trim())
  return said.trim() === 'yes'
}

/** What any process of the user could do to the daemon without protection. */
const open = [
  ['reads its keys', 'cat $H/owner $H/token'],
  ['reads its configuration', 'cat $H/config.yaml'],
  ['reads its store', 'cat $H/data/team-sessions.db'],
  ['sees what is in its home', 'ls -A $H | grep .'],
  ['writes to its home', 'touch $H/made'],
  ['gets a second name for a key', 'ln $H/owner-key ./second-name'],
  ['reads its keys through the daemon', 'cat /proc/$D/root$H/owner-key'],
  ['knows its environment', 'cat /proc/$D/environ'],
  ['sees which files it has open', 'readlink /proc/$D/fd/0'],
  ['sees where it works', 'readlink /proc/$D/cwd'],
] as const

/** Attempts to leave the namespaces, which would work if they were set up badly. */
const breakOut = [
  ['reads its memory', 'exec 3</proc/$D/mem'],
  ['unmounts what hides it', 'umount $H || umount -l $H'],
  ['unmounts it as root of a namespace of its own', 'unshare -Urm sh -c "umount $H || umount -l $H"'],
  ['moves away what hides it', 'unshare -Urm mount --move $H /mnt'],
  ['enters the mounts of the daemon', 'nsenter -t $D -m true || nsenter -t $D -U -m true'],
  ['enters the rights of the daemon', 'nsenter -t $D -U true'],
  ['enters the namespaces of what started it', 'nsenter -t $PPID -U true'],
  ['looks at it under another name', 'mkdir -p m; unshare -Urm sh -c "mount --bind $H/.. m && cat m/iris/owner-key"'],
  [
    'looks at it under another name, with all below',
    'mkdir -p m; unshare -Urm sh -c "mount --rbind $H/.. m && cat m/iris/owner-key"',
  ],
  [
    'looks through an overlay',
    'mkdir -p m n; unshare -Urm sh -c "mount -t overlay o -o lowerdir=$H/..:n m && cat m/iris/owner-key"',
  ],
  ['gives it another name', 'mv $H $H-2'],
  ['makes what hides it writable', 'mount -o remount,rw $H || unshare -Urm mount -o remount,rw $H'],
] as const

describe('an agent, where namespaces are allowed,', () => {
  test.each(open)('that is isolated does not do what one does that is not: %s', async (_what, command) => {
    expect([await can('open', command), await can('shut', command)]).toEqual([true, false])
  })

  test.each(breakOut)('cannot get around it: %s', async (_what, command) => {
    expect(await can('shut', command)).toBe(false)
  })

  test('of the older Claude Code is isolated just the same', { tags: ['thorough'] }, async () => {
    expect(await can('shutOlder', 'cat $H/owner-key || cat /proc/$D/root$H/owner-key || umount $H')).toBe(false)
  })

  test('does not get a file by the tool that reads files, nor by a mention', async () => {
    const key = join(iris.world.home, 'owner-key')
    expect(await say('open', `read ${key}`)).toContain(secret)
    expect(await say('shut', `read ${key}`)).not.toContain(secret)
    expect(await say('shut', `say @${key} well`)).toContain('well')
    expect(JSON.stringify(iris.world.model.requests.recent.slice(-3))).not.toContain(secret)
  })

  test('cannot look at another agent', async () => {
    const { teams: told } = await callTool(iris, 'team_status', { team: 'open' })
    const [{ sessions }] = told as [{ sessions: [{ pid: number }] }]
    expect(await can('shut', `cat /proc/${sessions[0].pid}/environ`)).toBe(false)
  })

  test('is the user that it was, with the files of its project', async () => {
    const own = 'test $(id -u) = $(stat -c %u .) && touch made && rm made && test -w /dev/null'
    expect(await can('shut', own)).toBe(true)
    expect(process.getuid!()).toBe(Number(await say('shut', 'run id -u')))
  })
})

test('team_status says of each team what is hidden, and why something is not', async () => {
  const { teams: told } = await callTool(iris, 'team_status')
  const isolation = (told as { name: string; isolation: unknown }[]).map((team) => [team.name, team.isolation])
  const detail = expect.stringMatching(/^hidden: the home of Iris, the conversations of other projects, .*; in sight: /)
  const home = { level: 'home', holds: true, detail }
  const none = { level: 'none', holds: false, detail: 'nothing is hidden: the configuration says so' }
  expect(Object.fromEntries(isolation)).toEqual({ frontend: home, shut: home, shutOlder: home, open: none })
})

test('a change of isolation reaches a process at its next start', { tags: ['thorough'] }, async () => {
  expect(await can('open', 'cat $H/owner')).toBe(true)
  iris.world.writeConfig({ settings: { claudePath: claudeBinary(newest) }, teams: { ...teams, open: yes } })
  await iris.event('process-terminated', ({ to, why }) => to === 'open' && why === 'its settings have changed')
  expect(await can('open', 'cat $H/owner')).toBe(false)
})
