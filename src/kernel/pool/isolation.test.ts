import { execFileSync } from 'node:child_process'
import { mkdirSync, renameSync, rmdirSync, rmSync, statSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type TemporaryHome, temporaryHome } from '../../../test/support/temporary-home.ts'
import { projectSlug } from '../../claude/driver/project-slug.ts'
import type { Config } from '../../platform/config/config.ts'
import { succeeding } from '../../platform/config/former-teams.ts'
import type { HidingView } from '../../platform/machine/hiding.ts'
import type { IsolationMeans } from '../../platform/machine/isolation-means.ts'
import type { Isolated } from '../../platform/machine/machine.ts'
import { Isolations } from './isolation.ts'

/** A machine that supports all isolation; its command line contains the view as JSON. */
const able: IsolationMeans = {
  hiding: { isolate: (view) => ({ by: [JSON.stringify(view)], ownProcesses: false }) },
  sandbox: { isolate: (view) => ({ by: [JSON.stringify(view)], ownProcesses: true }) },
}
const hiddenDetail =
  'hidden: the home of Iris, the conversations of other projects, the sockets of Claude Code; in sight: everything else that you can read'
const unable: IsolationMeans = { hiding: { lacks: 'it needs Linux' }, sandbox: { lacks: 'it needs Linux' } }

let disk: TemporaryHome
beforeEach(async () => {
  disk = await temporaryHome()
  mkdirSync(join(disk.home, 'data'))
})
afterEach(() => disk[Symbol.asyncDispose]())

const team = 'teams:\n  backend:\n    path: ~/projects/backend\n'
const at = (path: string): string => join(disk.root, path)
const started = (env: Record<string, string> = {}) => ({
  executable: process.execPath,
  env: { HOME: disk.root, ...env },
})

const systemOf = (means: IsolationMeans) => ({ isolationMeans: async () => means })

function isolationsOf(config: Config, means = able): Isolations {
  return new Isolations({ config: () => config, system: systemOf(means), environment: { XDG_RUNTIME_DIR: at('run') } })
}

async function holds(config: Config, means = able, process: Isolated = started()) {
  const isolations = isolationsOf(config, means)
  const backend = config.teams.get('backend')!
  const view = (await isolations.for(backend, process))?.by[0]
  return { told: await isolations.of(backend, process), view: view === undefined ? undefined : JSON.parse(view) }
}

/** The hidden places, without the sockets of the user who runs these tests. */
const hiddenHere = ({ hidden }: HidingView): string[] => hidden.filter((place) => place.startsWith(disk.root))

test('what is hidden is the home of Iris', async () => {
  const { told, view } = await holds(await disk.load(team))
  expect(told).toEqual({ level: 'home', holds: true, detail: hiddenDetail })
  expect(hiddenHere(view)).toEqual([disk.home])
})

test('and the files with passwords and tokens that config.yaml names, wherever they are', async () => {
  for (const name of ['nats', 'bot', 'login']) writeFileSync(at(name), 'secret', { mode: 0o600 })
  const more = [
    `    account:\n      tokenFile: ${at('login')}\n`,
    `cluster:\n  servers: nats://127.0.0.1:4222\n  name: studio\n  credentials: ${at('nats')}\n`,
    `channels:\n  chat:\n    platform: telegram\n    team: backend\n    tokenFile: ${at('bot')}\n`,
  ]
  const { told, view } = await holds(await disk.load(team + more.join('')))
  expect(told.holds).toBe(true)
  expect(hiddenHere(view).toSorted()).toEqual([at('bot'), disk.home, at('login'), at('nats')].toSorted())
})

test('and the token file of a team that was removed from config.yaml, whose processes may still work', async () => {
  mkdirSync(at('projects/former'))
  writeFileSync(at('login'), 'secret', { mode: 0o600 })
  const former = `  former:\n    path: ~/projects/former\n    account:\n      tokenFile: ${at('login')}\n`
  const { view } = await holds(succeeding(await disk.load(team + former), await disk.load(team)))
  expect(hiddenHere(view).toSorted()).toEqual([disk.home, at('login')].toSorted())
})

test('and the directories in which Claude Code makes sockets, also those that it has not made yet', async () => {
  mkdirSync(at('run'))
  mkdirSync(at('temporary'))
  const { view } = await holds(await disk.load(team), able, started({ TMPDIR: at('temporary') }))
  expect(hiddenHere(view)).toEqual([disk.home, at('run/cc-socks'), at('temporary/cc-socks')])
  expect(statSync(at('run/cc-socks')).mode & 0o777).toBe(0o700)
  expect(view.hidden).toEqual(expect.arrayContaining([`/tmp/cc-socks-${process.getuid!()}`]))
})

test('which nobody can remove by rmdir while agents live, nor a cleaner that takes what is old', async () => {
  mkdirSync(at('run'))
  const config = await disk.load(team)
  const isolations = isolationsOf(config)
  await isolations.for(config.teams.get('backend')!, started())
  const [directory, file] = [at('run/cc-socks'), at('run/cc-socks/.kept-by-iris')]
  expect(() => rmdirSync(directory)).toThrow('ENOTEMPTY')
  utimesSync(file, 0, 0)
  isolations.keepHidden()
  expect(statSync(file).mtimeMs).toBeGreaterThan(0)
  // Iris must neither follow a link that an agent without isolation put there, nor block on a pipe.
  writeFileSync(at('of the person'), '')
  utimesSync(at('of the person'), 0, 0)
  rmSync(file)
  symlinkSync(at('of the person'), file)
  isolations.keepHidden()
  expect(statSync(at('of the person')).mtimeMs).toBe(0)
  rmSync(file)
  execFileSync('mkfifo', [file])
  isolations.keepHidden()
})

test("and other projects' conversations, not those of its worktrees, nor its own from before it was moved", async () => {
  const slug = projectSlug(at('projects/backend'))
  const worktree = `${slug}--claude-worktrees-fix`
  for (const name of ['-other', '-former', worktree, `${slug}-2`])
    mkdirSync(at(`.claude/projects/${name}`), { recursive: true })
  const conversation = { sessionId: 'x', transcript: at('.claude/projects/-former/x.jsonl') }
  const { view } = await holds(await disk.load(team), able, { ...started(), conversation })
  expect(view.narrowed).toEqual({ directory: at('.claude/projects'), kept: [slug, worktree, '-former'] })
})

test('what Claude Code notes of the repository that a project lies in stays in sight', async () => {
  mkdirSync(at('projects/.git'), { recursive: true })
  const { view } = await holds(await disk.load(team))
  const [own, root] = [at('projects/backend'), at('projects')].map(projectSlug)
  expect(view.narrowed.kept).toEqual([own, join(root!, 'memory')])
})

test('and the directory of a store that lies elsewhere, and the file that config.yaml is a link to', async () => {
  mkdirSync(at('store'))
  await disk.write('dotfiles/iris.yaml', `${team}database: {path: ${at('store/iris.db')}}\n`)
  symlinkSync(at('dotfiles/iris.yaml'), at('iris/config.yaml'))
  const { told, view } = await holds(await disk.load())
  expect(told.holds).toBe(true)
  expect(hiddenHere(view)).toEqual([disk.home, at('store'), at('dotfiles/iris.yaml')])
})

test('a place that holds what the agent needs stays open, and that is said', async () => {
  const config = await disk.load(`${team}database: {path: ${at('projects/iris.db')}}\n`)
  const { told, view } = await holds(config)
  const detail = `not hidden: ${at('projects')}, because the project lies in it`
  expect(told).toEqual({ level: 'home', holds: false, detail })
  expect(hiddenHere(view)).toEqual([disk.home])
})

test.each([
  ['the directory of Claude Code', () => started({ CLAUDE_CONFIG_DIR: at('iris/claude') })],
  ['claude', () => ({ ...started(), executable: at('iris/claude') })],
  ['the home of the user', () => started({ HOME: at('iris/claude'), CLAUDE_CONFIG_DIR: at('.claude') })],
])('the home of Iris is not hidden where %s lies in it', async (what, process) => {
  const config = await disk.load(team)
  mkdirSync(at('iris/claude'))
  const { told, view } = await holds(config, able, { ...started(), ...process() })
  expect(told.holds).toBe(false)
  expect(told.detail).toContain(what)
  expect(hiddenHere(view)).toEqual([])
})

test.each([
  ['the project', { link: 'projects/backend', needs: {} }],
  ['the directory of Claude Code', { link: 'claude', needs: { CLAUDE_CONFIG_DIR: 'claude' } }],
])('%s that is a link into the home of Iris opens nothing, and nobody is started', async (what, { link, needs }) => {
  rmSync(at(link), { recursive: true, force: true })
  symlinkSync(disk.home, at(link))
  const env = Object.fromEntries(Object.entries(needs).map(([name, place]) => [name, at(place)]))
  for (const level of ['home', 'sandbox']) {
    const config = await disk.load(`settings: {isolation: ${level}}\n${team}`)
    const start = isolationsOf(config).for(config.teams.get('backend')!, started(env))
    await expect(start).rejects.toThrow(`The path of ${what}, ${at(link)}, leads into ${disk.home}`)
  }
  const config = await disk.load(team)
  const told = await isolationsOf(config).of(config.teams.get('backend')!, started(env))
  expect(told.detail).toContain('nothing is started')
})

test('a machine that hides nothing still starts agents, and says that nothing is hidden', async () => {
  const told = { level: 'home', holds: false, detail: 'not hidden: it needs Linux' }
  expect(await holds(await disk.load(team), unable)).toEqual({ told, view: undefined })
  expect(await holds(await disk.load(`${team}    isolation: home\n`), unable)).toEqual({ told, view: undefined })
})

test.each([
  ['hides it', team, able, started, 0],
  ['shuts it in', `${team}    isolation: sandbox\n`, able, started, 0],
  ['hides nothing because it is told so', `${team}    isolation: none\n`, able, started, 1],
  ['cannot hide anything', team, unable, started, 1],
  ['leaves it open for Claude Code', team, able, () => started({ CLAUDE_CONFIG_DIR: at('iris/claude') }), 1],
])('who relies on the hidden home hears before a start that %s', async (_how, yaml, means, process, times) => {
  const config = await disk.load(yaml)
  mkdirSync(at('iris/claude'))
  mkdirSync(at('.claude'), { recursive: true })
  let exposed = 0
  const counted = { environment: {}, exposed: () => (exposed += 1) }
  await new Isolations({ config: () => config, system: systemOf(means), ...counted }).for(
    config.teams.get('backend')!,
    process(),
  )
  expect(exposed).toBe(times)
})

test('a machine without sandboxes starts nobody who is to be in one', async () => {
  const config = await disk.load(`settings: {isolation: sandbox}\n${team}`)
  const isolations = isolationsOf(config, unable)
  const backend = config.teams.get('backend')!
  expect(await isolations.of(backend, started())).toMatchObject({
    holds: false,
    detail: 'nothing is started: it needs Linux',
  })
  await expect(isolations.for(backend, started())).rejects.toThrow(
    expect.objectContaining({ code: 'sandbox_unavailable' }),
  )
})

test("a team's own word goes before that of the settings", async () => {
  const config = await disk.load(`settings: {isolation: sandbox}\n${team}    isolation: none\n`)
  expect(await holds(config)).toMatchObject({ told: { level: 'none', holds: false }, view: undefined })
})

test('a home that was swapped for an empty one is not taken for hidden', async () => {
  const config = await disk.load(team)
  const isolations = isolationsOf(config)
  renameSync(disk.home, at('elsewhere'))
  mkdirSync(disk.home)
  const start = () => isolations.for(config.teams.get('backend')!, started())
  await expect(start()).rejects.toThrow(expect.objectContaining({ code: 'isolation_failed' }))
})

test('in a sandbox there is no home of Iris, also where it lies in the project', async () => {
  const config = await disk.load(`settings: {isolation: sandbox}\nteams:\n  backend:\n    path: ${disk.root}\n`)
  const files = { NODE_EXTRA_CA_CERTS: '/etc/hosts', CLAUDE_CODE_CLIENT_CERT: '/etc/passwd' }
  const { view } = await holds(config, able, started(files))
  expect(view).toMatchObject({ directory: disk.root, home: disk.root, hidden: [disk.home] })
  expect(view.readable).toEqual(expect.arrayContaining(['/etc/hosts', '/etc/passwd', dirname(process.execPath)]))
})

test("in a sandbox only the project's conversations and the conversation's tasks are written to", async () => {
  const config = await disk.load(`settings: {isolation: sandbox}\n${team}`)
  const conversation = { sessionId: 'one', transcript: undefined }
  const { view } = await holds(config, able, { ...started(), conversation })
  const conversations = join('.claude/projects', projectSlug(at('projects/backend')))
  expect(view).toMatchObject({
    writable: [at('projects/backend'), at(conversations), at('.claude/tasks/one')],
    empty: [at('.claude')],
    sealed: [at('.claude/projects')],
  })
})

test('a link to the home of Iris shows nothing of it: not in place of what is read, nor of a conversation', async () => {
  mkdirSync(at('.claude/projects'), { recursive: true })
  symlinkSync(join(disk.home, 'config.yaml'), at('.claude/notes.md'))
  symlinkSync(disk.home, at('.claude/skills'))
  const slug = projectSlug(at('projects/backend'))
  symlinkSync(disk.home, at(`.claude/projects/${slug}--claude-worktrees-x`))
  const { view } = await holds(await disk.load(`settings: {isolation: sandbox}\n${team}`))
  expect(view.readable.filter((path: string) => path.startsWith(at('.claude/')))).toEqual([])
  expect(view.writable).toEqual([at('projects/backend'), at(`.claude/projects/${slug}`)])
  rmdirSync(at(`.claude/projects/${slug}`))
  symlinkSync(disk.home, at(`.claude/projects/${slug}`))
  for (const level of ['home', 'sandbox']) {
    const config = await disk.load(`settings: {isolation: ${level}}\n${team}`)
    await expect(holds(config)).rejects.toThrow(expect.objectContaining({ code: 'isolation_failed' }))
  }
})

test('the directories around what is hidden are fixed, outermost first, as far as they can be renamed', async () => {
  const { view } = await holds(await disk.load(team))
  const fixed: string[] = view.fixed.filter((place: string) => place.startsWith(disk.root))
  expect(fixed).toEqual([disk.root, at('.claude')])
  for (const [index, place] of view.fixed.entries())
    expect(view.fixed.slice(0, index).filter((other: string) => other.startsWith(`${place}/`))).toEqual([])
})

test('conversations are hidden wherever the Claude Code of another team keeps them', async () => {
  const other = `  frontend:\n    path: ~/projects/frontend\n    env: {CLAUDE_CONFIG_DIR: ${at('elsewhere')}}\n`
  const config = await disk.load(`${team}${other}`)
  expect(hiddenHere((await holds(config)).view)).toContain(at('elsewhere/projects'))
  expect(statSync(at('elsewhere/projects')).mode & 0o777).toBe(0o700)
  const own = await holds(config, able, started({ CLAUDE_CONFIG_DIR: at('elsewhere') }))
  expect(hiddenHere(own.view)).not.toContain(at('elsewhere/projects'))
})

test('a project that was moved away, with a link in its place, is shown in no sandbox', async () => {
  const config = await disk.load(`settings: {isolation: sandbox}\n${team}`)
  mkdirSync(at('private'))
  renameSync(at('projects/backend'), at('projects/moved'))
  symlinkSync(at('private'), at('projects/backend'))
  await expect(holds(config)).rejects.toThrow(expect.objectContaining({ code: 'isolation_failed' }))
  renameSync(at('projects'), at('others'))
  mkdirSync(at('others/elsewhere/backend'), { recursive: true })
  symlinkSync(at('others/elsewhere'), at('projects'))
  await expect(holds(config)).rejects.toThrow(expect.objectContaining({ code: 'isolation_failed' }))
})

test('of the directory of Claude Code a sandbox reads settings, texts and scripts; nothing that tells of others', async () => {
  const seen = ['CLAUDE.md', 'RTK.md', 'get-key.sh', 'settings.json', 'skills']
  const unseen = ['history.jsonl', 'sessions', 'shell-snapshots', 'ide', 'daemon', 'file-history', '.credentials.json']
  for (const name of [...seen, ...unseen]) mkdirSync(at(`.claude/${name}`), { recursive: true })
  const { view } = await holds(await disk.load(`settings: {isolation: sandbox}\n${team}`))
  const inDirectory = view.readable.filter((path: string) => path.startsWith(at('.claude/')))
  expect(inDirectory.toSorted()).toEqual(seen.map((name) => at(`.claude/${name}`)).toSorted())
  expect(view.copies).toEqual([{ from: expect.stringContaining(disk.home), path: at('.claude/.credentials.json') }])
})
