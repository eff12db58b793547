import { mkdirSync, renameSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type TemporaryHome, temporaryHome } from '../../test/support/temporary-home.ts'
import type { Config } from '../config/config.ts'
import type { IsolationMeans } from '../transport/isolation.ts'
import { Isolations } from './isolation.ts'

/** A machine that can do everything; what is to be hidden can be read in the command line. */
const able: IsolationMeans = {
  hiding: { isolate: (places) => ({ by: [...places], ownProcesses: false }) },
  sandbox: { isolate: (view) => ({ by: [JSON.stringify(view)], ownProcesses: true }) },
}
const unable: IsolationMeans = { hiding: { lacks: 'it takes Linux' }, sandbox: { lacks: 'it takes Linux' } }

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

function holds(config: Config, means = able, process = started()) {
  const isolations = new Isolations(() => config, means)
  const backend = config.teams.get('backend')!
  return { told: isolations.of(backend, process), by: isolations.for(backend, process)?.by }
}

test('what is hidden is the home of Iris', async () => {
  const detail = 'the home of Iris is hidden'
  expect(holds(await disk.load(team))).toEqual({ told: { level: 'home', holds: true, detail }, by: [disk.home] })
})

test('and the directory of a store that lies elsewhere, and the file that config.yaml is a link to', async () => {
  mkdirSync(at('store'))
  await disk.write('dotfiles/iris.yaml', `${team}database: {path: ${at('store/iris.db')}}\n`)
  symlinkSync(at('dotfiles/iris.yaml'), at('iris/config.yaml'))
  const { told, by } = holds(await disk.load())
  expect(told.holds).toBe(true)
  expect(by).toEqual([disk.home, at('store'), at('dotfiles/iris.yaml')])
})

test('a place that holds what the agent needs stays open, and that is said', async () => {
  const config = await disk.load(`${team}database: {path: ${at('projects/iris.db')}}\n`)
  const { told, by } = holds(config)
  const detail = `not hidden: ${at('projects')}, because the project lies in it`
  expect({ told, by }).toEqual({ told: { level: 'home', holds: false, detail }, by: [disk.home] })
})

test.each([
  ['the directory of Claude Code', () => started({ CLAUDE_CONFIG_DIR: at('iris/claude') })],
  ['claude', () => ({ ...started(), executable: at('iris/claude') })],
  ['the home of the user', () => started({ HOME: at('iris/claude'), CLAUDE_CONFIG_DIR: at('.claude') })],
])('nothing is hidden where %s lies in the home of Iris', async (what, process) => {
  const config = await disk.load(team)
  mkdirSync(at('iris/claude'))
  const { told, by } = holds(config, able, { ...started(), ...process() })
  expect(told.holds).toBe(false)
  expect(told.detail).toContain(what)
  expect(by).toBeUndefined()
})

test('a machine that hides nothing still starts agents, and says that nothing is hidden', async () => {
  const told = { level: 'home', holds: false, detail: 'not hidden: it takes Linux' }
  expect(holds(await disk.load(team), unable)).toEqual({ told, by: undefined })
  expect(holds(await disk.load(`${team}    isolation: home\n`), unable)).toEqual({ told, by: undefined })
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
  new Isolations(
    () => config,
    means,
    () => (exposed += 1),
  ).for(config.teams.get('backend')!, process())
  expect(exposed).toBe(times)
})

test('a machine without sandboxes starts nobody who is to be in one', async () => {
  const config = await disk.load(`settings: {isolation: sandbox}\n${team}`)
  const isolations = new Isolations(() => config, unable)
  const backend = config.teams.get('backend')!
  expect(isolations.of(backend, started())).toMatchObject({
    holds: false,
    detail: 'nothing is started: it takes Linux',
  })
  expect(() => isolations.for(backend, started())).toThrow(expect.objectContaining({ code: 'sandbox_unavailable' }))
})

test("a team's own word goes before that of the settings", async () => {
  const config = await disk.load(`settings: {isolation: sandbox}\n${team}    isolation: none\n`)
  expect(holds(config)).toMatchObject({ told: { level: 'none', holds: false }, by: undefined })
})

test('a home that was swapped for an empty one is not taken for hidden', async () => {
  const config = await disk.load(team)
  const isolations = new Isolations(() => config, able)
  renameSync(disk.home, at('elsewhere'))
  mkdirSync(disk.home)
  const start = () => isolations.for(config.teams.get('backend')!, started())
  expect(start).toThrow(expect.objectContaining({ code: 'isolation_failed' }))
})

test('in a sandbox there is no home of Iris, also where it lies in the project', async () => {
  const config = await disk.load(`settings: {isolation: sandbox}\nteams:\n  backend:\n    path: ${disk.root}\n`)
  writeFileSync(at('ca.pem'), '')
  const view = JSON.parse(holds(config, able, started({ NODE_EXTRA_CA_CERTS: at('ca.pem') })).by![0]!)
  expect(view).toMatchObject({
    directory: disk.root,
    home: disk.root,
    writable: [disk.root, at('.claude'), at('.claude.json')],
  })
  expect(view.empty).toEqual([at('.claude/sessions'), disk.home])
  expect(view.readable).toEqual(
    expect.arrayContaining([at('ca.pem'), at('.claude/settings.json'), dirname(process.execPath)]),
  )
})
