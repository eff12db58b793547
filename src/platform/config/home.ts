import { existsSync, readdirSync, statSync } from 'node:fs'
import { userInfo } from 'node:os'
import { isAbsolute, join, resolve } from 'node:path'
import { IrisError } from '../../base/protocol/error.ts'

export type Environment = Readonly<Record<string, string | undefined>>

/** The default path of the store, relative to Iris's home. */
export const defaultDatabasePath = 'data/team-sessions.db'

/** The user's home directory: HOME in `env`, otherwise the one in the system's list of users. */
export function userHome(env: Environment): string {
  return env['HOME'] || userInfo().homedir
}

/** Replaces a leading `~` or `~/`. `~name` stays unchanged: that form belongs to shells. */
export function expandTilde(path: string, env: Environment): string {
  return path === '~' || path.startsWith('~/') ? userHome(env) + path.slice(1) : path
}

/**
 * Iris's home as an absolute path: `$IRIS_HOME`, else `~/.iris`. Throws `config_invalid` for a relative path, because
 * each working directory would then have an Iris of its own. Also throws it for a directory that belongs to something
 * else, because Iris denies other users access to its home.
 */
export function irisHome(env: Environment): string {
  const given = env['IRIS_HOME']
  const path = given ? expandTilde(given, env) : join(userHome(env), '.iris')
  if (isAbsolute(path) && resolve(path) === '/') {
    throw new IrisError(
      'config_invalid',
      `IRIS_HOME is ${JSON.stringify(given)}, the root directory, which no other user could read afterwards.`,
      'Set it to a directory that only Iris uses, or leave it unset for ~/.iris.',
    )
  }
  if (isAbsolute(path)) {
    if (given) refuseForeign(resolve(path), given)
    return resolve(path)
  }
  const name = given && path === given ? 'IRIS_HOME' : 'HOME'
  const value = env[name] ?? ''
  throw new IrisError(
    'config_invalid',
    `${name} is ${JSON.stringify(value)}, which is not an absolute path.`,
    `Set it to an absolute path, for example ${resolve(value)}.`,
  )
}

/** The directory that Linux makes on each new disk. */
const ofNewDisk = 'lost+found'

/**
 * Refuses a directory that has files but none of Iris's: run as root, Iris would otherwise take /tmp from everybody.
 */
function refuseForeign(home: string, given: string): void {
  // Files of other programs may have these names too, and no home has only these files.
  const { token: _token, owner: _owner, tokens: _tokens, ...own } = homePaths(home)
  if (Object.values(own).some((path) => existsSync(path)) || !isShared(home)) return
  throw new IrisError(
    'config_invalid',
    `IRIS_HOME is ${JSON.stringify(given)}. That directory has files, and none of them is Iris's. Iris would take the right to read it from all other users.`,
    `Set it to a directory that only Iris uses, or leave it unset for ~/.iris. If this one is for Iris, create ${join(home, 'config.yaml')} first.`,
  )
}

/**
 * Whether others can enter a directory that has files and no copy of config.yaml. False for a path that is not a
 * directory or cannot be read: later access to it fails with an error of its own.
 */
function isShared(directory: string): boolean {
  try {
    const names = readdirSync(directory).filter((name) => name !== ofNewDisk)
    const isOpen = (statSync(directory).mode & 0o077) !== 0
    return isOpen && names.length > 0 && !names.some((name) => name.startsWith('config.yaml'))
  } catch {
    return false
  }
}

/** The file with the configuration before its last change. */
export function textBeforeOf(file: string): string {
  return `${file}.before`
}

/** Every file that Iris keeps in its home, absolute. */
export function homePaths(home: string) {
  return {
    config: join(home, 'config.yaml'),
    configBefore: textBeforeOf(join(home, 'config.yaml')),
    /** The older form of the configuration, read only to say what replaces it. */
    teamsJson: join(home, 'teams.json'),
    database: join(home, defaultDatabasePath),
    /** Records which database existed and how much had been written to it, in case it is lost. */
    storeMemory: join(home, 'store.json'),
    /** The search index, built from the database. */
    searchIndex: join(home, 'data/search.db'),
    /** Hard links to Claude Code's transcripts. */
    transcripts: join(home, 'data/transcripts'),
    /** Transcripts that people can read, one directory for each session. */
    streams: join(home, 'output_streams'),
    /** Records the path of each session MCP configuration that is on disk. */
    sessionMcp: join(home, 'data/session-mcp'),
    /** Claude Code's logins for sandboxes. */
    sandboxLogins: join(home, 'data/sandbox-logins'),
    daemonFile: join(home, 'daemon.json'),
    /** The home socket; it exists only while no agent can see it. */
    socket: join(home, 'daemon.sock'),
    /** The credential of programs, and the owner's credential. */
    token: join(home, 'token'),
    owner: join(home, 'owner'),
    /** The hashed tokens of single programs, and the key of these hashes. */
    tokens: join(home, 'tokens'),
    tokenKey: join(home, 'data/tokens.key'),
    /** The private key with which this host signs for other hosts. */
    clusterKey: join(home, 'data/cluster.key'),
    /** The hosts that were invited here, one per line. */
    invitedHosts: join(home, 'data/invited-hosts'),
    /** The keys of other hosts from an invitation, until the daemon has read them. */
    invitedKeys: join(home, 'data/invited-keys.json'),
    /** The administrator's credentials for the NATS servers, if this host is the keeper. */
    keeper: join(home, 'data/keeper.json'),
    /** The streams on the NATS servers that the keeper has created or found, one per line. */
    madeStreams: join(home, 'data/made-streams'),
    /** The browser sessions of the owner. */
    logins: join(home, 'data/logins.json'),
    /** A record of what `iris install` wrote outside this home, for `iris uninstall`. */
    installed: join(home, 'installed.json'),
    lock: join(home, 'data/lock.db'),
    /** Identifies this home, so that a copy is recognized. */
    homeRecord: join(home, 'home.json'),
    /** The same as `home.json`, for a home in which that file is missing or cannot be read. */
    homeRecordCopy: join(home, 'data/home.json'),
    /** The process id of the command that is starting the daemon; exists only during a start. */
    starting: join(home, 'data/starting'),
    /** The results of `iris doctor --probe`. */
    probes: join(home, 'data/probe.json'),
    log: join(home, 'logs/daemon.log'),
  } as const
}
