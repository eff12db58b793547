import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { createServer, type Server } from 'node:net'
import { userInfo } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { isolationMeans } from '../../src/platform/machine/isolation-means.ts'
import { able } from '../support/able.ts'
import { ask } from '../support/call-tool.ts'
import { eventually } from '../support/eventually.ts'
import { TestIris } from '../support/iris.ts'
import { obedient } from '../support/obedient.ts'
import { bothVersions, claudeBinary, cliEnvironment, ofTestedVersions } from '../support/real-claude.ts'
import { asUsedBefore, Terminal } from '../support/terminal.ts'
import { firstIn } from '../support/tier.ts'

const means = await isolationMeans(process.env['PATH'] ?? '')
const [newest, older] = bothVersions
const yes = { grantPermission: 'yes', dangerous: true }
const levels = { open: 'none', hidden: 'home', boxed: 'sandbox' } as const
const teams = {
  frontend: {},
  victim: yes,
  ...Object.fromEntries(Object.entries(levels).map(([team, isolation]) => [team, { ...yes, isolation }])),
  ...Object.fromEntries(
    Object.entries(levels).map(([team, isolation]) => [
      `${team}Older`,
      { ...yes, isolation, claudePath: claudeBinary(older) },
    ]),
  ),
}

/** What of the person's own files an agent tries to write to; those that exist have text in them. */
const existing = [
  'settings.json',
  'CLAUDE.md',
  'shell-snapshots/snapshot-bash-1.sh',
  'skills/own/SKILL.md',
  'sessions/1.json',
]
const absent = [
  'settings.local.json',
  'remote-settings.json',
  'keybindings.json',
  'statusline.sh',
  '.config.json',
  'extra.md',
  'agents/x.md',
  'commands/x.md',
  'skills/x/SKILL.md',
  'hooks/x.sh',
  'plugins/installed_plugins.json',
  'rules/x.md',
  'output-styles/x.md',
  'agent-memory/x/MEMORY.md',
  'session-env/x/hook.sh',
  'shell-snapshots/snapshot-zsh-2.sh',
  'projects/-other/memory/MEMORY.md',
  'projects/-new/memory/MEMORY.md',
  'daemon/control.key',
  'plans/x.md',
  'tasks/other/1.json',
  'teams/x/config.json',
  'ide/1.lock',
  'workflows/x.js',
  'bin/x.sh',
]
const knock = `import { connect } from 'node:net'
const message = { type: 'user', msgV: 1, msg_id: crypto.randomUUID(), from: 'x', priority: 'next' }
const text = JSON.stringify({ ...message, message: { role: 'user', content: process.argv[3] } })
connect(process.argv[2]).on('error', () => process.exit(1)).on('connect', function () { this.end(text + '\\n', () => process.exit(0)) })`

let iris: TestIris
let person: Terminal
/** The person's session, where it takes messages, and its process. */
let session: string
let inbox: string
let pid: number
const servers: Server[] = []
const at = (path: string): string => join(iris.world.claudeDirectory, path)

beforeAll(async () => {
  able(means.hiding)
  able(means.sandbox)
  iris = await TestIris.start({ script: obedient, teams, settings: { claudePath: claudeBinary(newest) } })
  const { root } = iris.world
  asUsedBefore(join(root, '.claude.json'), iris.world.directory('frontend'))
  for (const path of [...existing, 'history.jsonl', 'ide/7.lock', 'projects/-other/x.jsonl'])
    write(path, 'of the person')
  write('settings.json', '{}')
  write('.credentials.json', '{}')
  for (const team of Object.keys(teams)) writeFileSync(join(iris.world.directory(team), 'knock.mjs'), knock)
  // All agents live before the person begins: what is hidden is what is made later, too.
  await Promise.all(['open', ...isolated].map((team) => say(team, 'run true')))
  const { TMPDIR: _, ...env } = cliEnvironment({ version: newest, home: root, modelUrl: iris.world.model.url })
  person = new Terminal(claudeBinary(newest), { cwd: iris.world.directory('frontend'), env })
  const [entry] = await eventually(() => {
    const entries = readdirSync(at('sessions')).filter((name) => /^\d{2,}\.json$/.test(name))
    const told = entries.map((name) => JSON.parse(readFileSync(at(`sessions/${name}`), 'utf8') || '{}'))
    const own = told.filter(({ kind, messagingSocketPath }) => kind === 'interactive' && messagingSocketPath)
    return own.length > 0 && own
  }, 'the session of the person takes messages')
  session = entry.sessionId
  inbox = entry.messagingSocketPath
  pid = entry.pid
  write('projects/-later/x.jsonl', 'of the person')
})
afterAll(async () => {
  for (const server of servers) server.close()
  await person?.[Symbol.asyncDispose]()
  await iris[Symbol.asyncDispose]()
})

function write(path: string, text: string): void {
  mkdirSync(dirname(at(path)), { recursive: true })
  writeFileSync(at(path), text)
}

const say = async (team: string, message: string): Promise<string> =>
  (await ask(iris, team, message, { fromTeam: 'frontend' })).response ?? ''
/** Whether an agent's shell can do it. $U is the person's home, $C Claude Code's directory in it, $P the person's Claude Code. */
const can = async (team: string, command: string): Promise<boolean> => {
  const { root, claudeDirectory } = iris.world
  const variables = `U=${root} C=${claudeDirectory} P=${pid} S=${inbox} NODE=${process.execPath}`
  const said = await say(team, `run ${variables}; { ${command}; } >/dev/null 2>&1 && echo yes || echo no`)
  expect(['yes', 'no']).toContain(said.trim())
  return said.trim() === 'yes'
}

const isolated = ofTestedVersions(['hidden', 'boxed', 'hiddenOlder', 'boxedOlder'])
const boxes = ofTestedVersions(['boxed', 'boxedOlder'])
/** Which of these teams can do it. */
const who = async (teams: readonly string[], command: string | ((team: string) => string)): Promise<string[]> => {
  const able = await Promise.all(
    teams.map(async (team) => ((await can(team, typeof command === 'string' ? command : command(team))) ? [team] : [])),
  )
  return able.flat()
}
const openTo = async (command: string): Promise<string[]> => who(['open', ...isolated], command)

describe('the inbox of a session that a person has open', () => {
  const ways = [
    ['by its name', '$S'],
    ['through the root of its process', '/proc/$P/root$S'],
    ['through the directory of its process', '/proc/$P/cwd/../../../../../../../../$S'],
    ['through a thread of its process', '/proc/$P/task/$P/root$S'],
  ] as const
  test.each(firstIn(ways))('is reached %s by an agent that is not isolated, and by no other', async (_way, path) => {
    const knocking = (team: string): string => `$NODE knock.mjs ${path} "reached by ${team}"`
    expect(await who(['open', ...isolated], knocking)).toEqual(['open'])
  })

  test('takes what it is sent for a message, so that it matters', async () => {
    const own = () => iris.world.model.requests.recent.filter(({ sessionId }) => sessionId === session)
    const texts = (): string => JSON.stringify(own().map(({ body }) => body))
    await eventually(() => texts().includes('reached by open'), 'the model of the person reads it')
    for (const team of isolated) expect(texts()).not.toContain(`reached by ${team}`)
  })

  test('is no abstract socket, which no directory hides', () => {
    const inodes = readdirSync(`/proc/${pid}/fd`).map((fd) => readlinkSync(`/proc/${pid}/fd/${fd}`))
    const rows = readFileSync('/proc/net/unix', 'utf8')
      .split('\n')
      .map((row) => row.trim().split(/\s+/))
    const own = rows.filter(([, , , , , , inode]) => inodes.includes(`socket:[${inode}]`)).map((row) => row[7] ?? '')
    expect(own).toContain(inbox)
    expect(own.filter((path) => path.startsWith('@'))).toEqual([])
  })

  test('stays hidden whatever is done to what hides it', { tags: ['thorough'] }, async () => {
    const directory = dirname(inbox)
    const attempts = [
      `umount ${directory} || umount -l ${directory}`,
      `unshare -Urm umount ${directory}`,
      `mv ${directory} ${directory}-2 || rmdir ${directory}`,
      `unshare -Urm mount --move ${directory} /mnt`,
      `mkdir -p m; unshare -Urm sh -c "mount --bind ${dirname(directory)} m && ls m/cc-socks | grep ."`,
      'nsenter -t $P -m true || nsenter -t $P -U -m true',
    ]
    for (const attempt of attempts) {
      await can('hidden', attempt)
      expect([attempt, await can('hidden', 'test -S $S || $NODE knock.mjs $S no')]).toEqual([attempt, false])
    }
  })
})

/** Directories of the user's in /tmp in which Claude Code listens besides. */
const { uid, username } = userInfo()
test.each([
  ['the supervisor of background sessions', `/tmp/cc-daemon-${uid}`],
  ['the bridge to the browser', `/tmp/claude-mcp-browser-bridge-${username}`],
  ['sessions whose path would be too long', `/tmp/cc-socks-${uid}`],
])('%s is reached by an agent that is not isolated, and by no other', async (_what, directory) => {
  mkdirSync(directory, { recursive: true, mode: 0o700 })
  const path = join(directory, `${process.pid}.test.sock`)
  const server = createServer((socket) => socket.on('error', () => {}).end())
  servers.push(server)
  await new Promise<void>((resolve) => server.listen(path, resolve))
  expect(await openTo(`$NODE knock.mjs ${path} x`)).toEqual(['open'])
})

describe('conversations', () => {
  test.each([
    ['of another project', 'cat $C/projects/-other/x.jsonl'],
    ['that began after the agent', 'cat $C/projects/-later/x.jsonl'],
    ['with another team', 'cat $C/projects/*-projects-victim/*.jsonl'],
    ['all of them', 'test $(ls $C/projects | wc -l) -gt 1'],
  ])('%s are read by an agent that is not isolated, and by no other', async (_whose, command) => {
    await say('victim', 'say something')
    expect(await openTo(command)).toEqual(['open'])
  })

  test('stay hidden whatever is done to what hides them', { tags: ['thorough'] }, async () => {
    const attempts = [
      'umount $C/projects || umount -l $C/projects',
      'unshare -Urm umount $C/projects',
      'unshare -Urm mount -o remount,bind,rw $C/projects && mkdir $C/projects/-new',
      'mkdir -p m; unshare -Urm sh -c "mount --bind $C m && cat m/projects/-other/x.jsonl"',
      'cat /proc/$P/root$C/projects/-other/x.jsonl',
      'mkdir $C/projects/-new',
    ]
    for (const attempt of attempts) expect([attempt, await who(isolated, attempt)]).toEqual([attempt, []])
  })
})

describe("what a person's own Claude Code takes orders from", () => {
  const planted = (): string[] =>
    [...existing, ...absent, '../.claude.json', '.credentials.json'].filter(
      (path) =>
        lstatSync(at(path), { throwIfNoEntry: false })?.isFile() && readFileSync(at(path), 'utf8').includes('planted'),
    )
  const everywhere = (how: string): string =>
    [...existing, ...absent, '../.claude.json', '.credentials.json'].map((path) => `F=$C/${path}; ${how}`).join('\n')
  const restore = (): void => {
    for (const path of absent) rmSync(at(path), { force: true })
    for (const path of existing) write(path, path === 'settings.json' ? '{}' : 'of the person')
  }
  const ways = [
    ['appended to', 'mkdir -p "$(dirname $F)"; echo planted >> $F'],
    ['replaced', 'mkdir -p "$(dirname $F)"; echo planted > $F.new && mv -f $F.new $F'],
    ['removed and made again', 'mkdir -p "$(dirname $F)"; rm -f $F; echo planted > $F'],
    [
      'uncovered',
      'for AS in "" "unshare -Urm"; do $AS sh -c "mount -o remount,bind,rw $F; umount $F; umount $(dirname $F); echo planted >> $F"; done',
    ],
  ] as const

  test.each(firstIn(ways))('is %s by an agent that is not isolated, and by none in a sandbox', async (_way, how) => {
    // Read by a running Claude Code, which puts its own text back: the person's session has it open.
    const kept = [join(iris.world.root, '.claude.json'), at('.credentials.json')].map((path) => readFileSync(path))
    await can('open', everywhere(how))
    const open = planted()
    restore()
    writeFileSync(join(iris.world.root, '.claude.json'), kept[0]!)
    writeFileSync(at('.credentials.json'), kept[1]!)
    expect(open).toEqual(expect.arrayContaining(['settings.json', 'shell-snapshots/snapshot-bash-1.sh', 'CLAUDE.md']))
    const many = how === ways[3][1] ? existing.length : existing.length + absent.length
    expect(open.length).toBeGreaterThanOrEqual(many)
    await who(boxes, everywhere(how))
    expect(planted()).toEqual([])
    for (const path of existing) expect([path, existsSync(at(path))]).toEqual([path, true])
  })

  test('runs in another team when an agent that is not isolated adds to its shell, and not from a sandbox', async () => {
    const ran = join(iris.world.root, 'ran')
    await say('victim', 'run true')
    await can('boxed', `for F in $C/shell-snapshots/*.sh; do echo "touch ${ran}" >> $F; done`)
    await say('victim', 'run true')
    expect(existsSync(ran)).toBe(false)
    await can('open', `for F in $C/shell-snapshots/*.sh; do echo "touch ${ran}" >> $F; done`)
    await say('victim', 'run true')
    expect(existsSync(ran)).toBe(true)
  })

  test.each([
    ['what was typed', 'history.jsonl'],
    ['how to reach an editor', 'ide/7.lock'],
    ['the shell of others', 'shell-snapshots/snapshot-bash-1.sh'],
    ['which sessions live', 'sessions/1.json'],
  ])('tells an agent in a sandbox nothing of the rest: %s', async (_what, path) => {
    write(path, 'of the person')
    const command = `grep 'of the person' $C/${path}`
    expect(await who(['open', ...boxes], command)).toEqual(['open'])
  })

  test('cannot be mounted again from a sandbox, nor can the system', async () => {
    const places = ['/usr', '/etc', '$C/settings.json', '$C/projects', '$C']
    const attempts = places.flatMap((place) => [
      `mount -o remount,bind,rw ${place}`,
      `umount ${place} || umount -l ${place}`,
    ])
    expect(await who(boxes, attempts.join(' || '))).toEqual([])
  })
})
