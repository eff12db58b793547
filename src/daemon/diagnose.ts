import { statSync } from 'node:fs'
import { createServer } from 'node:net'
import { DatabaseSync } from 'node:sqlite'
import { processEnvironment } from '../claude/environment.ts'
import type { Config, TeamConfig } from '../config/config.ts'
import { type Environment, homePaths } from '../config/home.ts'
import { loadConfig } from '../config/load.ts'
import { claudeExecutable, claudeVersion } from '../pool/claude-executable.ts'
import { Isolations } from '../pool/isolation.ts'
import { toIrisError } from '../protocol/error.ts'
import type { Finding } from '../protocol/finding.ts'
import { refuseNewer } from '../store/database.ts'
import { isolationMeans } from '../transport/isolation.ts'

interface Installation {
  readonly home: string
  readonly env: Environment
  /** The port on which a living daemon of this home answers. */
  readonly servedPort: number | undefined
}

const oldestNode = 24

/** Looks at everything Iris stands on, with or without a daemon, and changes nothing. */
export async function diagnose(installation: Installation): Promise<readonly Finding[]> {
  const { home, env, servedPort } = installation
  const config = await loadConfig({ home, env }).catch(toIrisError)
  const general = [node(), modes(home)]
  if (config instanceof Error) {
    const { message: detail, remedy } = config
    return [...general, { check: 'configuration', state: 'fail', detail, remedy }]
  }
  return [
    ...general,
    configuration(config),
    ...(await claude(config, env)),
    store(config.database.path),
    await port(config.settings.httpPort, servedPort),
    ...(await isolation(config, env)),
  ]
}

function node(): Finding {
  const detail = `Node ${process.versions.node}`
  if (Number(process.versions.node.split('.')[0]) >= oldestNode) return { check: 'node', state: 'ok', detail }
  return { check: 'node', state: 'fail', detail, remedy: `Install Node ${oldestNode} or newer.` }
}

/** What nobody else may read. */
function modes(home: string): Finding {
  const { config, owner, token, database, daemonFile } = homePaths(home)
  const open = [home, config, owner, token, database, daemonFile].filter((path) => {
    const facts = statSync(path, { throwIfNoEntry: false })
    return facts !== undefined && (facts.mode & 0o077) !== 0
  })
  if (open.length === 0) return { check: 'home', state: 'ok', detail: `${home} is closed to other users` }
  const detail = `other users have rights to ${open.join(', ')}`
  return { check: 'home', state: 'warn', detail, remedy: `Run: chmod -R go= ${home}` }
}

function configuration({ file, teams }: Config): Finding {
  const check = 'configuration'
  if (teams.size > 0) return { check, state: 'ok', detail: `${file}, teams: ${[...teams.keys()].join(', ')}` }
  const remedy = `Add the directories of your projects to ${file}: see "iris start".`
  return { check, state: 'warn', detail: 'there are no teams yet', remedy }
}

/** Every program that some team would be answered by, once. */
async function claude({ teams, settings }: Config, daemon: Environment): Promise<Finding[]> {
  const asked = [...teams.values()].map(({ claudePath, env }) => ({ claudePath, env }))
  const found = new Map<string, Finding>()
  for (const { claudePath, env } of asked.length > 0 ? asked : [{ claudePath: undefined, env: {} }]) {
    const configured = claudePath ?? settings.claudePath
    const path = processEnvironment({ daemon, settings: settings.env, team: env, version: undefined })['PATH'] ?? ''
    const finding = await claudeExecutable(configured, path).then(versionOf, (error: unknown): Finding => {
      const { message: detail, remedy } = toIrisError(error)
      return { check: 'claude', state: 'fail', detail, remedy }
    })
    found.set(finding.detail, finding)
  }
  return [...found.values()]
}

async function versionOf(executable: string): Promise<Finding> {
  const version = await claudeVersion(executable)
  if (version !== undefined) return { check: 'claude', state: 'ok', detail: `Claude Code ${version} (${executable})` }
  const remedy = `Run "${executable} --version" to see why.`
  return { check: 'claude', state: 'fail', detail: `${executable} does not tell its version`, remedy }
}

function store(path: string): Finding {
  const check = 'store'
  if (!statSync(path, { throwIfNoEntry: false })) {
    return { check, state: 'ok', detail: `${path} is made when Iris starts first` }
  }
  try {
    using database = new DatabaseSync(path, { readOnly: true })
    refuseNewer(database)
    const said = Object.values(database.prepare('PRAGMA quick_check(1)').get() ?? {})[0]
    if (said === 'ok') return { check, state: 'ok', detail: path }
    return {
      check,
      state: 'fail',
      detail: `${path} is damaged: ${String(said)}`,
      remedy: 'Restart Iris: it makes it anew.',
    }
  } catch (error) {
    const { code, message, remedy } = toIrisError(error)
    if (code !== 'internal') return { check, state: 'fail', detail: message, remedy }
    const why = error instanceof Error ? error.message : String(error)
    const todo = 'Restart Iris: a damaged store is made anew. If it cannot be read, see its rights.'
    return { check, state: 'fail', detail: `${path} cannot be read: ${why}`, remedy: todo }
  }
}

async function port(wanted: number, served: number | undefined): Promise<Finding> {
  const check = 'port'
  if (served !== undefined) return { check, state: 'ok', detail: `Iris answers on port ${served}` }
  if (await isFree(wanted)) return { check, state: 'ok', detail: wanted === 0 ? 'any free one' : `${wanted} is free` }
  const remedy = 'End that program, or set settings.httpPort in config.yaml to another port.'
  return { check, state: 'fail', detail: `another program has port ${wanted}`, remedy }
}

function isFree(wanted: number): Promise<boolean> {
  const server = createServer()
  return new Promise((resolve) => {
    server.once('error', () => resolve(false))
    server.listen(wanted, '127.0.0.1', () => server.close(() => resolve(true)))
  })
}

/** One for each kind of promise that the teams have been given. */
async function isolation(config: Config, daemon: Environment): Promise<Finding[]> {
  const isolations = new Isolations(() => config, await isolationMeans(daemon['PATH'] ?? ''))
  const promises = new Map<string, { finding: Finding; teams: string[] }>()
  for (const team of config.teams.values()) {
    const finding = await isolationOf(team, config, daemon, isolations)
    const known = promises.get(finding.detail) ?? { finding, teams: [] }
    known.teams.push(team.name)
    promises.set(finding.detail, known)
  }
  return [...promises.values()].map(({ finding, teams }) => ({
    ...finding,
    detail: `${finding.detail} (${teams.join(', ')})`,
  }))
}

async function isolationOf(
  team: TeamConfig,
  { settings }: Config,
  daemon: Environment,
  isolations: Isolations,
): Promise<Finding> {
  const env = processEnvironment({ daemon, settings: settings.env, team: team.env, version: undefined })
  const executable = await claudeExecutable(team.claudePath ?? settings.claudePath, env['PATH'] ?? '').catch(() => '/')
  const { level, holds, detail } = isolations.of(team, { executable, env })
  if (holds) return { check: 'isolation', state: 'ok', detail }
  const remedies = {
    home: 'See docs/guide/isolation.md for what an agent can read then.',
    sandbox: 'Install bubblewrap (Debian and Ubuntu: apt install bubblewrap), or set isolation: home.',
    none: 'Take isolation: none out of config.yaml if that is not meant.',
  }
  return { check: 'isolation', state: level === 'sandbox' ? 'fail' : 'warn', detail, remedy: remedies[level] }
}
