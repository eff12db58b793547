import { readFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { ownTurn } from '../../base/lib/in-turns.ts'
import { accountOfTeam, accountVariables, withWholePaths } from './account.ts'
import { type Config, deepFreeze, frozenMap, type Role, type TeamConfig } from './config.ts'
import { isTooLarge, readConfigText } from './config-text.ts'
import { defaultDatabasePath, type Environment, expandTilde, homePaths } from './home.ts'
import { ConfigError, ProblemList } from './problem.ts'
import { builtInRoles, RoleEntry } from './roles.ts'
import type { ConfigFile } from './schema.ts'
import { checkShape } from './shape.ts'
import { type Directories, findDirectories } from './team-directories.ts'
import { checkTeamRules } from './team-rules.ts'
import { yamlFromTeamsJson } from './teams-json.ts'
import { readTree } from './yaml-tree.ts'

export interface LoadOptions {
  /** Iris's home, absolute; see `irisHome`. */
  readonly home: string
  /** Provides the values for `${VAR}` and `~/`. */
  readonly env: Environment
  /**
   * The required owner of the file and, without `allowedRoots`, of the teams' directories. Default: the user of this
   * process.
   */
  readonly uid?: number | undefined
  /** If true, a missing or empty file is an error, because teams in use would disappear. */
  readonly mustExist?: boolean
}

/**
 * Reads and checks config.yaml. A missing file, or a file without teams, results in a configuration without teams.
 * Throws `ConfigError` (`config_invalid`) naming every mistake at once.
 */
export async function loadConfig(options: LoadOptions): Promise<Config> {
  const { home, env, uid = process.getuid?.(), mustExist = false } = options
  const { config: file } = homePaths(home)
  const problems = new ProblemList(file)
  const text = await readConfigText(file, uid, problems)
  if (text === null && !mustExist) await refuseTeamsJson(home)
  const config = text === undefined ? undefined : await configOf(text, { home, env, uid, mustExist }, problems)
  if (config === undefined) throw new ConfigError(problems.inFileOrder())
  return config
}

/**
 * The configuration in `text`, which is null for an absent file. Undefined if `problems` has any entry afterwards.
 * Problems with directories on the disk are in `Config.unusable` instead.
 */
export async function configOf(
  text: string | null,
  { home, env, uid, mustExist = false }: LoadOptions,
  problems: ProblemList,
): Promise<Config | undefined> {
  if (text !== null && isTooLarge(text, problems)) return undefined
  if (mustExist && !text?.trim()) problems.add([], text === null ? gone : emptied, null)
  const tree = await readTree(text ?? '', env, problems)
  if (tree === undefined) return undefined
  // With a thousand teams, each of these steps takes long, so other work gets a turn in between.
  await ownTurn()
  const shape = checkShape(tree, problems)
  await ownTurn()
  checkTeamRules(tree, problems)
  if (shape !== undefined) checkStorePlace(shape, home, env, problems)
  const directories = await findDirectories(tree, { home, env, uid, problems })
  if (shape === undefined || problems.inFileOrder().length > 0) {
    // Whoever corrects the file should see all problems at once.
    for (const { key } of directories.unusable) problems.insistOn(key)
    return undefined
  }
  await ownTurn()
  return assemble(shape, directories, home, env)
}

function databasePath({ database }: ConfigFile, home: string, env: Environment): string {
  return resolve(home, expandTilde(database.path, env))
}

/** If the store had the path of another of Iris's files, it would displace that file or be replaced by it. */
function checkStorePlace(shape: ConfigFile, home: string, env: Environment, problems: ProblemList): void {
  const { database: _usual, ...others } = homePaths(home)
  if (!Object.values<string>(others).includes(databasePath(shape, home, env))) return
  problems.report(['database', 'path'], {
    problem: 'is a file that Iris keeps for something else',
    allowed: 'a file that only the store uses',
    remedy: `Choose another name, or remove the line: the default is ${defaultDatabasePath}.`,
  })
}

function assemble(shape: ConfigFile, directories: Directories, home: string, env: Environment): Config {
  const withPaths = <Part extends { claudePath?: string | undefined; sessionMcpPath?: string | undefined }>(
    part: Part,
  ) => {
    const { claudePath, sessionMcpPath } = part
    return {
      ...part,
      ...(claudePath !== undefined && { claudePath: expandTilde(claudePath, env) }),
      ...(sessionMcpPath !== undefined && { sessionMcpPath: expandTilde(sessionMcpPath, env) }),
    }
  }
  const teams = Object.entries(shape.teams).map(([name, { path: _path, project: _project, ...entry }]) => {
    // findDirectories reports every team that it does not return. For a team on another machine, that machine expands
    // `~/`.
    const own = entry.remote === undefined ? withPaths(entry) : entry
    const expand = (path: string): string => (entry.remote === undefined ? expandTilde(path, env) : path)
    const named = accountOfTeam(entry, shape.settings.account)
    const account = named && withWholePaths(named, expand, (path) => resolve(home, expandTilde(path, env)))
    const variables = { ...entry.env, ...accountVariables(account) }
    const team: TeamConfig = deepFreeze({
      ...own,
      env: variables,
      name,
      ...directories.teams.get(name)!,
      ...(account && { account }),
    })
    return [name, team] as const
  })
  const { allowedRoots } = directories
  return Object.freeze({
    home,
    file: homePaths(home).config,
    settings: deepFreeze({ ...withPaths(shape.settings), ...(allowedRoots && { allowedRoots: [...allowedRoots] }) }),
    database: deepFreeze({ path: databasePath(shape, home, env) }),
    teams: frozenMap(teams),
    formerTeams: frozenMap<string, TeamConfig>([]),
    roles: rolesOf(shape),
    channels: withNames(shape.channels),
    callbacks: withNames(shape.callbacks),
    triggers: withNames(shape.triggers),
    insight: deepFreeze(shape.insight),
    ...(shape.cluster && { cluster: deepFreeze(shape.cluster) }),
    unusable: deepFreeze([...directories.unusable]),
  })
}

/** The entries of a section; each also contains its own name. */
function withNames<Entry extends object>(section: Readonly<Record<string, Entry>>) {
  return frozenMap(Object.entries(section).map(([name, entry]) => [name, deepFreeze({ ...entry, name })] as const))
}

/** A role in the file replaces a built-in role completely, so that the file shows all of it. */
function rolesOf({ roles }: ConfigFile): ReadonlyMap<string, Role> {
  const builtIn = Object.entries(builtInRoles).map(([name, role]) => [name, RoleEntry.parse(role)] as const)
  return frozenMap(
    [...new Map([...builtIn, ...Object.entries(roles)])].map(([name, role]) => {
      const named: Role = deepFreeze({ ...role, name })
      return [name, named] as const
    }),
  )
}

const keepTeams = 'Put the file back. If you want no teams, write: teams: {}'
const gone = { problem: 'the file is gone, with all the teams in it', remedy: keepTeams }
const emptied = { problem: 'the file is empty, with no team left in it', remedy: keepTeams }

async function refuseTeamsJson(home: string): Promise<void> {
  const { teamsJson, config } = homePaths(home)
  const json = await readFile(teamsJson, 'utf8').catch((error: NodeJS.ErrnoException) =>
    error.code === 'ENOENT' ? null : '',
  )
  if (json === null) return
  const replacement = yamlFromTeamsJson(json) ?? `teams:\n  backend:\n    path: ${join('/path/to', 'backend')}`
  const problem = 'teams.json is the older form of the configuration, and config.yaml does not exist'
  const remedy = `Write this into ${config}, then remove teams.json:\n${replacement}`
  const place = { file: teamsJson, line: null, column: null, key: '', value: null, allowed: null }
  throw new ConfigError([{ ...place, problem, remedy }])
}
