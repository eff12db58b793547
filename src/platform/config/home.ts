import { userInfo } from 'node:os'
import { isAbsolute, join, resolve } from 'node:path'
import { IrisError } from '../../base/protocol/error.ts'

export type Environment = Readonly<Record<string, string | undefined>>

/** Where the store lies when config.yaml does not say, relative to Iris's home. */
export const defaultDatabasePath = 'data/team-sessions.db'

/** The user's home directory: HOME of `env`, else what the system's user table says. */
export function userHome(env: Environment): string {
  return env['HOME'] || userInfo().homedir
}

/** Replaces a leading `~` or `~/`. `~name` is left alone: that form belongs to shells. */
export function expandTilde(path: string, env: Environment): string {
  return path === '~' || path.startsWith('~/') ? userHome(env) + path.slice(1) : path
}

/**
 * Iris's home as an absolute path: `$IRIS_HOME`, else `~/.iris`.
 * Throws `config_invalid` for a relative one: every working directory would have an Iris of its own.
 */
export function irisHome(env: Environment): string {
  const given = env['IRIS_HOME']
  if (!given) return join(userHome(env), '.iris')
  const path = expandTilde(given, env)
  if (isAbsolute(path)) return resolve(path)
  throw new IrisError(
    'config_invalid',
    `IRIS_HOME is ${JSON.stringify(given)}, which is not an absolute path.`,
    `Set it to an absolute path, for example ${resolve(path)}.`,
  )
}

/** Every file that Iris keeps in its home, absolute. */
export function homePaths(home: string) {
  return {
    config: join(home, 'config.yaml'),
    /** The form before config.yaml; only looked at to say what replaces it. */
    teamsJson: join(home, 'teams.json'),
    database: join(home, defaultDatabasePath),
    /** That there was a database, which one, and how far it had come: for when that is lost. */
    storeMemory: join(home, 'store.json'),
    /** What search finds words by; made of the database. */
    searchIndex: join(home, 'data/search.db'),
    /** Second names of Claude Code's transcripts. */
    transcripts: join(home, 'data/transcripts'),
    /** Transcripts that people can read, a directory a session. */
    streams: join(home, 'output_streams'),
    /** Where each session MCP configuration stands that is on disk. */
    sessionMcp: join(home, 'data/session-mcp'),
    /** Logins of Claude Code as sandboxes get them. */
    sandboxLogins: join(home, 'data/sandbox-logins'),
    daemonFile: join(home, 'daemon.json'),
    /** Where programs reach the daemon, as long as no agent can see it. */
    socket: join(home, 'daemon.sock'),
    /** The credential of programs, and of the person whose Iris this is. */
    token: join(home, 'token'),
    owner: join(home, 'owner'),
    /** The owner's browsers that have been let in. */
    logins: join(home, 'data/logins.json'),
    /** What `iris install` wrote outside of this home, for `iris uninstall`. */
    installed: join(home, 'installed.json'),
    lock: join(home, 'data/lock.db'),
    /** How the CLI was found by `iris doctor --probe`. */
    probes: join(home, 'data/probe.json'),
    log: join(home, 'logs/daemon.log'),
  } as const
}
