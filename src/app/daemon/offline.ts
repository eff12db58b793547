import { closeSync, existsSync, fstatSync, openSync, readSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { pathToFileURL } from 'node:url'
import { z } from 'zod'
import { systemClock } from '../../base/lib/clock.ts'
import { RecentLog } from '../../base/lib/recent-log.ts'
import { logLevels } from '../../base/protocol/log-entry.ts'
import { listAudit, verifyAudit } from '../../features/audit/contract.ts'
import { auditPage, type Trail, verified } from '../../features/audit/handlers.ts'
import { AuditTrail } from '../../features/audit/rows/audit-trail.ts'
import { getLogs } from '../../features/operator/contract/logs.ts'
import { logs } from '../../features/operator/handlers/logs.ts'
import { type Environment, homePaths, irisHome } from '../../platform/config/home.ts'
import { loadConfig } from '../../platform/config/load.ts'
import { refuseOtherThanFile } from '../../platform/store/plain-store.ts'
import { storeError } from '../../platform/store/store-trouble.ts'

/** Bytes that are read from the end of the log file. */
const tailBytes = 8 * 1024 * 1024
/** What is read while no audit exists yet. */
const nothing: Trail = {
  page: () => [],
  holds: () => false,
  verify: async () => ({ entries: 0, head: null, breaks: [] }),
}

/** The entries of the log file, to which every daemon in the background writes. */
export function logsOffline(env: Environment, input: Readonly<Record<string, unknown>>) {
  const { log } = homePaths(irisHome(env))
  const recentLog = new RecentLog(systemClock)
  for (const line of tailOf(log).split('\n')) {
    const { success, data } = Line.safeParse(parsed(line))
    if (!success) continue
    const { timestamp, level, context, message, ...ids } = data
    recentLog.add({ level, context, message, ids, at: Date.parse(timestamp) })
  }
  return logs(getLogs.input.parse(input), { recentLog, clock: systemClock })
}

const Line = z.looseObject({
  timestamp: z.iso.datetime(),
  level: z.enum(logLevels),
  context: z.string(),
  message: z.string(),
})

export function auditOffline(env: Environment, input: Readonly<Record<string, unknown>>) {
  return withTrail(env, async (auditTrail) =>
    auditPage(listAudit.input.parse(input), { auditTrail, clock: systemClock }),
  )
}

export function verifyAuditOffline(env: Environment, input: Readonly<Record<string, unknown>>) {
  return withTrail(env, (auditTrail) => verified(verifyAudit.input.parse(input), { auditTrail, clock: systemClock }))
}

/** Throws `store_unavailable`. */
async function withTrail<T>(env: Environment, read: (trail: Trail) => Promise<T>): Promise<T> {
  const home = irisHome(env)
  const config = await loadConfig({ home, env }).catch(() => undefined)
  const path = config?.database.path ?? homePaths(home).database
  if (!existsSync(path)) return read(nothing)
  try {
    using database = opened(path)
    return await read(new AuditTrail(database))
  } catch (error) {
    throw storeError(path, error)
  }
}

/** Opens the store read-only; as immutable where SQLite cannot write its files beside it. */
function opened(path: string): DatabaseSync {
  refuseOtherThanFile(path)
  const database = new DatabaseSync(path, { readOnly: true })
  try {
    database.prepare('SELECT 1 FROM audit LIMIT 1').get()
    return database
  } catch {
    database.close()
    return new DatabaseSync(new URL(`${pathToFileURL(path).href}?immutable=1`), { readOnly: true })
  }
}

function tailOf(path: string): string {
  if (!existsSync(path)) return ''
  const file = openSync(path, 'r')
  try {
    const { size } = fstatSync(file)
    const buffer = Buffer.alloc(Math.min(size, tailBytes))
    return buffer.toString('utf8', 0, readSync(file, buffer, 0, buffer.length, size - buffer.length))
  } finally {
    closeSync(file)
  }
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line)
  } catch {
    return undefined
  }
}
