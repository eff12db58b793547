import { execFileSync, spawnSync } from 'node:child_process'
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { ask, callTool } from '../support/call-tool.ts'
import { DaemonProcess } from '../support/daemon-process.ts'
import { eventually } from '../support/eventually.ts'
import { obedient } from '../support/obedient.ts'
import { mainFile, processesOf } from '../support/program.ts'
import { claudeBinary, claudeVersions } from '../support/real-claude.ts'
import { createWorld, type World } from '../support/world.ts'

// Where the tests run as root, Iris and its agents run as a user without rights here, as they do for most people.
const [newest, older] = claudeVersions
/** Without a name, as in many containers. */
const user = 61_234
const ordinary = ['setpriv', `--reuid=${user}`, `--regid=${user}`, '--clear-groups', '--']
const isRoot = process.geteuid!() === 0
/** If the checkout is in a directory that only root can read, the daemon runs as root. */
const isReadable = isRoot && spawnSync(ordinary[0]!, [...ordinary.slice(1), 'test', '-r', mainFile]).status === 0

const yes = { grantPermission: 'yes', dangerous: true }
const boxed = { ...yes, isolation: 'sandbox' }
const teams = {
  frontend: {},
  hidden: yes,
  boxed,
  ...(older && { hiddenOlder: { ...yes, claudePath: claudeBinary(older) } }),
}
const agents = Object.keys(teams).slice(1)

let world: World
let daemon: DaemonProcess
beforeAll(async () => {
  world = await createWorld({ script: obedient, teams, settings: { claudePath: claudeBinary(newest!) } })
  const other = join(world.claudeDirectory, 'projects/-other/x.jsonl')
  mkdirSync(dirname(other), { recursive: true })
  writeFileSync(other, 'of the person')
  // In /tmp Claude Code would meet files of the same name that belong to root, from tests beside this one.
  const temporary = join(world.root, 'tmp')
  mkdirSync(temporary)
  if (isReadable) execFileSync('chown', ['-R', `${user}:${user}`, world.root])
  daemon = await DaemonProcess.start(world, 'none', '', ['env', `TMPDIR=${temporary}`, ...(isReadable ? ordinary : [])])
})
afterAll(async () => {
  await daemon[Symbol.asyncDispose]()
  await world[Symbol.asyncDispose]()
})

const run = async (team: string, command: string): Promise<string> => {
  const places = `U=${world.root} C=${world.claudeDirectory} H=${world.home} D=${daemon.pid}`
  const { response, status, detail } = await ask(daemon, team, `run ${places}; ${command}`, { fromTeam: 'frontend' })
  return (response ?? `${status}: ${detail}`).trim()
}

test('the daemon and its agents are that user, and both levels hold', async () => {
  const { teams: told } = (await callTool(daemon, 'team_status')) as { teams: { name: string; isolation: object }[] }
  for (const team of agents) {
    expect([team, await run(team, 'id -u')]).toEqual([team, String(isReadable ? user : process.geteuid!())])
    expect(told.find(({ name }) => name === team)?.isolation).toMatchObject({ holds: true })
  }
})

test.each([
  ['read the key of the owner', 'cat $H/owner || cat /proc/$D/root$H/owner'],
  ['read what the daemon has', 'cat /proc/$D/environ || cat /proc/$D/maps | grep . || exec 3</proc/$D/mem'],
  [
    'trace the daemon',
    `perl -e 'exit(syscall(${process.arch === 'arm64' ? 117 : 101}, 0x4206, $ENV{D}, 0, 0) == 0 ? 0 : 1)'`,
  ],
  ['enter the daemon', 'nsenter -t $D -U true || nsenter -t $D -m true'],
  ['take away what hides Iris', 'umount -l $H || unshare -Urm umount -l $H || mv $H $H-2'],
  ['read conversations of others', 'cat $C/projects/-other/x.jsonl'],
  ['change settings of the kernel', ': >> /proc/sys/kernel/core_pattern || : >> /proc/sysrq-trigger'],
])('no agent can %s', async (_what, command) => {
  for (const team of agents) {
    const said = await run(team, `export D; { ${command}; } >/dev/null 2>&1 && echo yes || echo no`)
    expect([team, said]).toEqual([team, 'no'])
  }
})

test('no agent can give another name to what lies around them', async () => {
  // In a sandbox they lie in its own home.
  for (const team of agents.filter((name) => name !== 'boxed'))
    expect([team, await run(team, 'mv $C $C-2 2>&1 || mv $U $U-2 2>&1 || echo no')]).toEqual([
      team,
      expect.stringMatching(/no$/),
    ])
})

test('what was started is gone after the daemon was killed, also without its environment, session and parents', async () => {
  const before = readdirSync('/proc').filter((name) => Number(name) > 0)
  const left = join(world.directory('hidden'), 'left')
  const away = `(env -i /usr/bin/env setsid sh -c "echo \\$\\$ > ${left}; exec sleep 300" &)`
  await run('hidden', `${away}; while [ ! -s ${left} ]; do sleep 0.05; done`)
  const pid = execFileSync('cat', [left], { encoding: 'utf8' }).trim()
  const lives = () => /^State:\s+[^ZX]/m.test(spawnSync('cat', [`/proc/${pid}/status`], { encoding: 'utf8' }).stdout)
  expect(before).not.toContain(pid)
  expect(lives()).toBe(true)
  await daemon.kill()
  await eventually(() => !lives(), 'it is gone')
  await eventually(() => processesOf(world.root).length === 0, 'nothing of it is left')
})
