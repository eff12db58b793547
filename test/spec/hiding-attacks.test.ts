import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { nodeArguments } from '../../src/app/cli/spawn-daemon.ts'
import { daemonFileIn } from '../../src/base/protocol/daemon.ts'
import { ask, type Endpoint } from '../support/call-tool.ts'
import { eventually } from '../support/eventually.ts'
import { obedient } from '../support/obedient.ts'
import { bothVersions, claudeBinary, ofTestedVersions } from '../support/real-claude.ts'
import { createWorld, type World } from '../support/world.ts'

const [newest, older] = bothVersions
const yes = { grantPermission: 'yes', dangerous: true }
const settings = { claudePath: claudeBinary(newest) }
const boxed = { ...yes, isolation: 'sandbox' }
const ofOlder = { claudePath: claudeBinary(older) }
const secret = 'a secret of somebody else'
/** The descriptor of the root of the disk that the daemon is started with. Node closes the first sixteen on its own. */
const inherited = 208

let world: World
let daemon: ChildProcess
let endpoint: Endpoint
const at = (path: string): string => join(world.claudeDirectory, path)

beforeAll(async () => {
  world = await createWorld({ script: obedient })
  mkdirSync(join(world.root, 'way'))
  symlinkSync(join(world.root, 'projects'), join(world.root, 'way/projects'))
  const teams = {
    frontend: {},
    hidden: yes,
    hiddenOlder: { ...yes, ...ofOlder },
    boxed,
    boxedOlder: { ...boxed, ...ofOlder },
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
  const opened = [`exec ${inherited}</; exec "$@"`, 'bash', process.execPath, ...nodeArguments('start')]
  daemon = spawn('bash', ['-c', ...opened], { env, stdio: 'ignore' })
  const file = join(world.home, 'daemon.json')
  await eventually(() => existsSync(file), 'the daemon says where it is')
  endpoint = { port: daemonFileIn(readFileSync(file, 'utf8'))!.port, token: world.token() }
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
  const answer = await ask(endpoint, team, `run U=${root} C=${claudeDirectory} H=${home}; ${command}`, {
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

  test('stay hidden when the directories around them are given other names, also from the next process', {
    tags: ['thorough'],
  }, async () => {
    const agents = ofTestedVersions(['hidden', 'hiddenOlder'])
    for (const place of ['$C', '$U'])
      expect([place, await who(agents, `mv ${place} ${place}-2 && mkdir -p ${place}`)]).toEqual([place, []])
    for (const team of agents) await run(team, 'kill -9 $PPID')
    expect(await who(agents, all)).toEqual([])
    expect(readFileSync(at('projects/-other/x.jsonl'), 'utf8')).toBe(secret)
  })

  test('of a team whose Claude Code has a directory of its own are seen by that team alone', {
    tags: ['thorough'],
  }, async () => {
    await ask(endpoint, 'elsewhere', `say ${secret}`, { fromTeam: 'frontend' })
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

/** Numbers of system calls that perl makes. */
const calls = process.arch === 'arm64' ? { ptrace: 117, readMemory: 270 } : { ptrace: 101, readMemory: 310 }
const perl = (program: string): string => `perl -e '${program}'`

describe('the daemon', () => {
  test('is traced, read and entered by no isolated agent', async () => {
    const attempts = [
      ['is traced', perl(`exit(syscall(${calls.ptrace}, 16, $ENV{D}, 0, 0) == 0 ? 0 : 1)`)],
      ['is traced without being stopped', perl(`exit(syscall(${calls.ptrace}, 0x4206, $ENV{D}, 0, 0) == 0 ? 0 : 1)`)],
      // An address that is not there is EFAULT (14) to who may read.
      [
        'has its memory read by another call',
        perl(
          `my $b="x"x8; my $v=pack("PQ",$b,8); my $r=pack("QQ",8,8);
          exit(syscall(${calls.readMemory}, $ENV{D}, $v, 1, $r, 1, 0) >= 0 || $!+0 == 14 ? 0 : 1)`.replaceAll(
            '\n',
            ' ',
          ),
        ),
      ],
      ['gives an open file', perl('my $p=syscall(434,$ENV{D},0); exit($p >= 0 && syscall(438,$p,0,0) >= 0 ? 0 : 1)')],
      ['has its memory read', 'dd if=/proc/$D/mem of=/dev/null bs=1 count=1 skip=4096 || exec 3</proc/$D/mem'],
      ['says where its memory is', 'cat /proc/$D/maps | grep .'],
      ['says what it was started with', 'cat /proc/$D/auxv | grep -a .'],
      ['shows what it has mapped', 'ls /proc/$D/map_files | grep .'],
      ['shows files through a thread of it', 'cat /proc/$D/task/$D/root$H/owner'],
      ['shows files through where it works', 'cat /proc/$D/cwd/../..$H/owner /proc/$D/cwd$H/owner'],
      ['lets in who joins its namespaces', 'nsenter -t $D -m -U -n cat $H/owner || nsenter -t $D -m cat $H/owner'],
      [
        'is reached by its socket through /proc',
        `${perl('use Socket; socket(S,AF_UNIX,SOCK_STREAM,0); exit(connect(S,pack_sockaddr_un("/proc/$ENV{D}/root$ENV{H}/daemon.sock")) ? 0 : 1)')}`,
      ],
    ] as const
    expect(existsSync(join(world.home, 'daemon.sock'))).toBe(true)
    for (const [what, command] of attempts)
      expect([what, await who(isolated, `export D=${daemon.pid} H=$H; ${command}`)]).toEqual([what, []])
    // They are real: who is not isolated does each of them that needs no right of root's.
    for (const [what, command] of attempts.slice(4, 9)) {
      const env = { PATH: process.env['PATH'] ?? '', D: String(daemon.pid), H: world.home }
      expect([what, spawnSync('sh', ['-c', command], { env }).status]).toEqual([what, 0])
    }
  })

  test("leaves the owner's key in no file that an isolated agent can read", async () => {
    const key = world.owner()
    // As a pattern that is not itself the key: it stands in the conversation.
    const pattern = `${key.slice(0, 6)}[${key[6]}]${key.slice(7, 20)}`
    // Only files that changed since this Iris began: the time of a change of the inode cannot be set back.
    const since = Math.floor(statSync(world.home).birthtimeMs / 1000)
    const files = `find $U /tmp /run /dev/shm /var/tmp -xdev -type f -newerct @${since} -exec grep -lsa -e "${pattern}" {} +`
    const processes = `grep -lsa -e "${pattern}" /proc/[0-9]*/environ /proc/[0-9]*/cmdline`
    const look = `{ ${files}; ${processes}; } | grep .`
    expect(await who(isolated, look)).toEqual([])
    const here = spawnSync('grep', ['-rsla', '-e', pattern, world.home], { encoding: 'utf8' })
    expect(here.stdout.trim()).toBe(join(world.home, 'owner'))
  })
})

describe('an agent of root that is hidden things from', () => {
  const agents = ['hidden', 'hiddenOlder']
  test.each([
    ['by name', ': >> /proc/sys/kernel/core_pattern || : >> /proc/sys/kernel/modprobe || : >> /proc/sysrq-trigger'],
    ['in /sys', ': >> /sys/kernel/profiling || : >> /sys/kernel/uevent_helper || mkdir /sys/fs/cgroup/planted'],
    ['by a /proc of its own', 'unshare -Urpf --mount-proc sh -c ": >> /proc/sys/kernel/core_pattern"'],
    ['by a /sys of its own', 'mkdir -p s; unshare -Urmn sh -c "mount -t sysfs s s && : >> s/kernel/profiling"'],
    ['under another name', 'mkdir -p m; unshare -Urm sh -c "mount --bind /proc m && : >> m/sys/kernel/core_pattern"'],
    [
      'under another name with all below',
      'mkdir -p m; unshare -Urm sh -c "mount --rbind /proc m && : >> m/sys/kernel/core_pattern"',
    ],
    ['made writable again', 'mount -o remount,bind,rw /proc/sys || unshare -Urm mount -o remount,bind,rw /proc/sys'],
    ['below what was taken away', 'umount -l /proc/sys || unshare -Urm umount -l /proc/sys'],
    ['through another process', ': >> /proc/1/root/proc/sys/kernel/core_pattern'],
  ])('does not write to the settings of the kernel %s', async (_how, command) => {
    expect(await who(agents, command)).toEqual([])
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

test('an agent reads the environment of no process but those of its own start', { tags: ['thorough'] }, async () => {
  await Promise.all(isolated.map((team) => run(team, 'true')))
  const others =
    'for p in /proc/[0-9]*; do tr "\\0" "\\n" < $p/environ | grep ^IRIS_PROCESS=; done 2>/dev/null | sort -u'
  for (const team of isolated) {
    const seen = (await run(team, others)).trim().split('\n')
    expect([team, seen]).toEqual([team, [`IRIS_PROCESS=${(await run(team, 'echo $IRIS_PROCESS')).trim()}`]])
  }
})
