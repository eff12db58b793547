import { appendFile, readFile, rename, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { z } from 'zod'
import { makeDirectory } from '../../base/lib/make-directory.ts'
import { TeamName } from '../../base/protocol/names.ts'
import { hostName } from './cluster.ts'
import type { Config } from './config.ts'
import { homePaths } from './home.ts'
import { invitedHosts } from './invited-hosts.ts'

/** The input of `iris cluster init`, with which this host sets up the servers. */
const KeeperFile = z.object({
  /** The login of the servers' administrator: the text of a `.creds` file, or `user:password`. */
  credentials: z.string().min(1),
  /** Hosts and shared teams named neither in an invitation nor in config.yaml. */
  hosts: z.array(hostName),
  teams: z.array(TeamName),
})
export type KeeperFile = z.output<typeof KeeperFile>

/** What a keeper creates on the servers, and its credentials. */
export interface Keeping {
  readonly credentials: string
  /** Each host has a mailbox. */
  readonly hosts: readonly string[]
  /** Each of these teams lives on several hosts and has a log. */
  readonly teams: readonly string[]
  /** The streams that have existed. If one of them is missing, it has been lost. */
  readonly made: ReadonlySet<string>
}

/** A team in config.yaml that other hosts have too. */
export interface SharedTeam {
  readonly name: string
  readonly hosts: readonly string[]
}

/** Undefined if this host is not a keeper. Rejects if the file exists but cannot be read. */
export async function keeperFile(home: string): Promise<KeeperFile | undefined> {
  const text = await textOf(homePaths(home).keeper)
  return text === undefined ? undefined : KeeperFile.parse(JSON.parse(text))
}

/** Replaces the file as a whole. */
export async function putKeeperFile(home: string, keeper: KeeperFile): Promise<void> {
  const { keeper: path } = homePaths(home)
  makeDirectory(dirname(path))
  await writeFile(`${path}.new`, `${JSON.stringify(keeper)}\n`, { mode: 0o600 })
  await rename(`${path}.new`, path)
}

/** Undefined if this host is not a keeper. Rejects if a file exists but cannot be read. */
export async function keepingOf(config: Config): Promise<Keeping | undefined> {
  const { home, cluster } = config
  const keeper = cluster && (await keeperFile(home))
  if (keeper === undefined) return undefined
  const [shared, invited] = [sharedTeams(config), await invitedHosts(home)]
  const made = (await textOf(homePaths(home).madeStreams)) ?? ''
  return {
    credentials: keeper.credentials,
    hosts: unique([cluster!.name, ...invited, ...keeper.hosts, ...shared.flatMap(({ hosts }) => hosts)]),
    teams: unique([...keeper.teams, ...shared.map(({ name }) => name)]),
    made: new Set(made.split('\n').filter((name) => name !== '')),
  }
}

/** The teams of config.yaml that this host shares with others. */
export function sharedTeams({ teams, cluster }: Pick<Config, 'teams' | 'cluster'>): readonly SharedTeam[] {
  return [...teams.values()].flatMap(({ name, hosts }) =>
    cluster !== undefined && hosts?.includes(cluster.name) ? [{ name, hosts }] : [],
  )
}

/** Remembers streams that this host has created or found. */
export async function noteMade(home: string, names: readonly string[]): Promise<void> {
  if (names.length === 0) return
  const { madeStreams: path } = homePaths(home)
  makeDirectory(dirname(path))
  await appendFile(path, names.map((name) => `${name}\n`).join(''), { mode: 0o600 })
}

async function textOf(path: string): Promise<string | undefined> {
  return readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined
    throw error
  })
}

function unique(names: readonly string[]): readonly string[] {
  return [...new Set(names)]
}
