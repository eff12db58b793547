import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { daemonFileIn } from '../../src/base/protocol/daemon.ts'
import { ask, type Door } from '../support/call-tool.ts'
import { eventually } from '../support/eventually.ts'
import { obedient } from '../support/obedient.ts'
import { mainFile } from '../support/program.ts'
import { bothVersions, claudeBinary, ofTestedVersions } from '../support/real-claude.ts'
import { createWorld, type World } from '../support/world.ts'

const [newest, older] = bothVersions
const yes = { grantPermission: 'yes', dangerous: true }
const settings = { claudePath: claudeBinary(newest) }
const boxed = { ...yes, isolation: 'sandbox' }
const ofOlder = { claudePath: claudeBinary(older) }
const secret = 'a secret of somebody else'
/** The descriptor of the root of the disk that the daemon is started with. Node closes the first sixteen by itself. */
const inherited = 208

let world: World
let daemon: ChildProcess
let door: Door
const at = (path: string): string => join(world.claudeDirectory, path)

beforeAll(async () => {
  world = await createWorld({ script: obedient })
  mkdirSync(join(world.root, 'way'))
  symlinkSync(join(world.root, 'projects'), join(world.root, 'way/projects'))
  const teams = {
    frontend: {},
    ...{ hidden: yes, hiddenOlder: { ...yes, ...ofOlder }, boxed, boxedOlder: { ...boxed, ...ofOlder } },
    // The project is all that is the user's, Iris's home and Claude Code's directory among it.
    whole: { ...boxed, path: world.root },
    linked: { ...boxed, path: join(world.root, 'way/projects/linked') },
    elsewhere: { ...yes, env: { CLAUDE_CONFIG_DIR: join(world.root, 'claude/elsewhere') } },
  }
  world.writeConfig({ settings, teams })
  for (const path of ['projects/-other/x.jsonl', 'shell-snapshots/snapshot-bash-1.sh', 'history.jsonl']) {
    mkdirSync(dirname(at(path)), { recursive: true })
    writeFileSync(at(path), secret)
  }
  const env = { ...world.env, IRIS_HOME: world.home }
  const opened = [`exec ${inherited}</; exec "$@"`, 'bash', process.execPath, mainFile, 'start']
  daemon = spawn('bash', ['-c', ...opened], { env, stdio: 'ignore' })
  const file = join(world.home, 'daemon.json')
  await eventually(() => existsSync(file), 'the daemon says where it is')
  door = { port: daemonFileIn(readFileSync(file, 'utf8'))!.port, token: world.token() }
})
afterAll(async () => {
  const ended = new Promise((resolve) => daemon.once('exit', resolve))
  daemon.kill('SIGTERM')
  await ended
  await world[Symbol.asyncDispose]()
})

const isolated = ofTestedVersions(['hidden', 'hiddenOlder', 'boxed', 'boxedOlder'])
/** What an agent's shell prints. $U is the user's home, $C Claude Code's directory in it, $H the home of Iris. */
const run = async (team: string, command: string): Promise<string> => {
  const { root, claudeDirectory, home } = world
  const answer = await ask(door, team, `run U=${root} C=${claudeDirectory} H=${home}; ${command}`, {
    fromTeam: 'frontend',
  })
  return answer.response ?? `${answer.status}: ${answer.detail}`
}
/** For each of these teams, whether its agent can do it. */
const who = async (teams: readonly string[], command: string): Promise<string[]> => {
  const said = teams.map(async (team) =>
    (await run(team, `{ ${command}; } >/dev/null 2>&1 && echo yes || echo no`)).trim(),
  )
  const answers = await Promise.all(said)
  for (const answer of answers) expect(['yes', 'no']).toContain(answer)
  return teams.filter((_, index) => answers[index] === 'yes')
}

describe('a directory that was open in whoever started the daemon', () => {
  test('leads no agent out of its isolation', async () => {
    const through = (path: string): string => `cat $(printf "%s${path} " /proc/$PPID/fd/* /proc/self/fd/*) | grep .`
    for (const path of ['$H/owner', '$C/projects/-other/x.jsonl'])
      expect([path, await who(isolated, through(path))]).toEqual([path, []])
    expect(await who(isolated, 'for fd in /proc/$PPID/fd/*; do touch $fd$H/planted; done')).toEqual([])
    expect(readdirSync(world.home)).not.toContain('planted')
  })
})

describe('conversations of others', () => {
  const all = 'cat $U/.claude*/projects/-other/x.jsonl'

  test('stay hidden when the directories around them are given other names, also from the next process', async () => {
    const agents = ofTestedVersions(['hidden', 'hiddenOlder'])
    for (const place of ['$C', '$U'])
      expect([place, await who(agents, `mv ${place} ${place}-2 && mkdir -p ${place}`)]).toEqual([place, []])
    for (const team of agents) await run(team, 'kill -9 $PPID')
    expect(await who(agents, all)).toEqual([])
    expect(readFileSync(at('projects/-other/x.jsonl'), 'utf8')).toBe(secret)
  })

  test('of a team whose Claude Code has a directory of its own are seen by that team alone', async () => {
    await ask(door, 'elsewhere', `say ${secret}`, { fromTeam: 'frontend' })
    const read = 'cat $U/claude/elsewhere/projects/*/*.jsonl | grep secret'
    expect(await who([...isolated, 'elsewhere', 'whole'], read)).toEqual(['elsewhere'])
    expect(await who(['elsewhere'], all)).toEqual([])
  })

  test('and what moves the directory around it moves nothing', async () => {
    expect(
      await who([...ofTestedVersions(['hidden', 'hiddenOlder']), 'elsewhere'], 'mv $U/claude $U/claude-2'),
    ).toEqual([])
  })
})

describe('a sandbox', () => {
  test('has no settings of the kernel to write to, also where Iris runs as root', async () => {
    const settings = ['kernel/core_pattern', 'kernel/modprobe', 'vm/overcommit_memory', 'kernel/randomize_va_space']
    for (const setting of settings)
      expect([setting, await who(ofTestedVersions(['boxed', 'boxedOlder']), `: >> /proc/sys/${setting}`)]).toEqual([
        setting,
        [],
      ])
  })

  test('whose project is the whole home of the user shows nothing of Iris and of other conversations in it', async () => {
    const attempts = ['cat $H/owner', 'cat $H/config.yaml', 'cat $H/data/team-sessions.db', 'grep . $C/history.jsonl']
    attempts.push('cat $C/projects/-other/x.jsonl', 'cat $C/shell-snapshots/snapshot-bash-1.sh')
    for (const attempt of attempts) expect([attempt, await who(['whole'], attempt)]).toEqual([attempt, []])
    await run('whole', 'echo x > $H/planted; echo x > $C/settings.json; echo x > $C/shell-snapshots/planted.sh')
    expect(readdirSync(world.home)).not.toContain('planted')
    for (const path of ['settings.json', 'shell-snapshots/planted.sh'])
      expect([path, existsSync(at(path))]).toEqual([path, false])
  })

  test('of a project behind a link holds the project and nothing beside it', async () => {
    expect(await who(['linked'], 'touch made && rm made')).toEqual(['linked'])
    expect(await who(['linked'], 'ls $U/projects/hidden || cat $H/owner || cat ../hidden/x')).toEqual([])
  })
})

test('an agent reads the environment of no process but those of its own start', async () => {
  await Promise.all(isolated.map((team) => run(team, 'true')))
  const others =
    'for p in /proc/[0-9]*; do tr "\\0" "\\n" < $p/environ | grep ^IRIS_PROCESS=; done 2>/dev/null | sort -u'
  for (const team of isolated) {
    const seen = (await run(team, others)).trim().split('\n')
    expect([team, seen]).toEqual([team, [`IRIS_PROCESS=${(await run(team, 'echo $IRIS_PROCESS')).trim()}`]])
  }
})
