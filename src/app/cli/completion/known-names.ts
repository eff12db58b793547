import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { pathToFileURL } from 'node:url'
import { parse } from 'yaml'
import { isRecord } from '../../../base/lib/is-record.ts'
import { plainFile } from '../../../base/lib/plain-file.ts'
import { type Environment, expandTilde, homePaths, irisHome } from '../../../platform/config/home.ts'
import { refuseOtherThanFile } from '../../../platform/store/plain-store.ts'
import { processTag } from '../inside-agent.ts'

/**
 * How long to wait for a locked store, milliseconds. A person is waiting, so a store that is locked for longer is left
 * out.
 */
const waitMs = 100
/** The newest rows that are read. */
const [maxSessions, maxTurns] = [2000, 200]

export interface KnownNames {
  readonly teams: readonly string[]
  readonly threads: readonly string[]
  /** Short ids, the newest first. */
  readonly turns: readonly string[]
}

/**
 * Names from config.yaml and the store, with or without a daemon; read-only. Inside an agent there are none, because an
 * agent may not read others' conversations. Unreadable files are left out.
 */
export function knownNames(env: Environment): KnownNames {
  if (env[processTag]) return { teams: [], threads: [], turns: [] }
  const home = irisHome(env)
  const { config, database: usual } = homePaths(home)
  const { teams, database } = sectionsOf(config)
  const path = typeof database['path'] === 'string' ? resolve(home, expandTilde(database['path'], env)) : usual
  const { asked, threads, turns } = inStore(path)
  return { teams: [...Object.keys(teams), ...asked.filter((name) => name.includes('@'))], threads, turns }
}

function sectionsOf(file: string): { readonly teams: object; readonly database: Readonly<Record<string, unknown>> } {
  try {
    const parsed: unknown = parse(plainFile(file))
    const section = (name: string): Readonly<Record<string, unknown>> =>
      isRecord(parsed) && isRecord(parsed[name]) ? parsed[name] : {}
    return { teams: section('teams'), database: section('database') }
  } catch {
    return { teams: {}, database: {} }
  }
}

function inStore(path: string) {
  try {
    refuseOtherThanFile(path)
    // If there is no write-ahead log, nobody has the store open. It is then opened as immutable, so that reading
    // creates no files.
    const place = existsSync(`${path}-wal`) ? path : new URL(`${pathToFileURL(path).href}?immutable=1`)
    using database = new DatabaseSync(place, { readOnly: true, timeout: waitMs })
    const texts = (sql: string, limit: number): readonly string[] =>
      database
        .prepare(sql)
        .all(limit)
        .map(({ text }) => String(text))
    const ofSessions = (column: string): string =>
      `SELECT DISTINCT ${column} AS text FROM (SELECT ${column} FROM team_sessions ORDER BY id DESC LIMIT ?)`
    return {
      asked: texts(ofSessions('to_team'), maxSessions),
      threads: texts(ofSessions('thread'), maxSessions),
      turns: texts('SELECT substr(id, 1, 8) AS text FROM turns ORDER BY sequence DESC LIMIT ?', maxTurns),
    }
  } catch {
    return { asked: [], threads: [], turns: [] }
  }
}
