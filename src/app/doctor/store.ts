import { statSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { fileSize } from '../../base/lib/file-size.ts'
import { manyKept, maxKept } from '../../base/protocol/attachment.ts'
import { toIrisError } from '../../base/protocol/error.ts'
import type { Finding } from '../../base/protocol/finding.ts'
import { damageOf, failedCheck } from '../../platform/store/damage.ts'
import { refuseNewer } from '../../platform/store/database.ts'
import { lockWaitMs, refuseOtherThanFile } from '../../platform/store/plain-store.ts'
import { readRemembered } from '../../platform/store/remembered-store.ts'
import { lossOf, refuseForeign } from '../../platform/store/store-identity.ts'
import type { CheckContext } from './check-context.ts'

const check = 'store'
/** The largest store that is read completely, in bytes; reading it takes about a second. */
const maxCheckedBytes = 1024 * 1024 * 1024
/** How much clocks may differ, milliseconds. */
const slackMs = 5 * 60_000

export function store({ config, paths }: CheckContext): readonly Finding[] {
  const { path } = config.database
  const size = statSync(path, { throwIfNoEntry: false })?.size
  const remembered = readRemembered(paths.storeMemory)
  if (size === undefined && remembered === undefined) {
    return [{ check, state: 'ok', detail: `Iris creates ${path} at its first start` }]
  }
  try {
    refuseOtherThanFile(path)
    if (path !== paths.database) refuseForeign(path, remembered)
    const trouble = size === undefined ? undefined : troubleOf(path, size)
    const lost = trouble === undefined ? lossOf(path, remembered) : undefined
    const detail = trouble ? `${path} is damaged: ${trouble}` : lost && `${path} was lost: ${lost.why}`
    if (size === undefined || detail !== undefined) {
      const remedy = 'iris restart (rebuilds it from its readable parts and from the conversations)'
      return [{ check, state: 'fail', detail: detail ?? path, remedy }]
    }
    using database = new DatabaseSync(path, { readOnly: true, timeout: lockWaitMs })
    refuseNewer(database)
    const unread = size <= maxCheckedBytes ? '' : ', too large to check here'
    const sound: Finding = { check, state: 'ok', detail: `${path}, ${fileSize(size)}${unread}` }
    return [sound, ...attachedFiles(attachedBytes(database)), ...clock(database)]
  } catch (error) {
    const { code, message, remedy } = toIrisError(error)
    if (code !== 'internal') return [{ check, state: 'fail', detail: message, remedy }]
    const why = error instanceof Error ? error.message : String(error)
    return [{ check, state: 'fail', detail: `${path} cannot be read: ${why}`, remedy: `ls -l ${path}` }]
  }
}

function troubleOf(path: string, size: number): string | undefined {
  return damageOf(path) ?? (size <= maxCheckedBytes ? failedCheck(path) : undefined)
}

/** Checks the size of the files attached to messages, and warns before the store accepts no more of them. */
export function attachedFiles(bytes: number): readonly Finding[] {
  if (bytes === 0) return []
  const detail = `${fileSize(bytes)} of attached files in the store, of at most ${fileSize(maxKept)}`
  const attached = { check: 'attachments', detail }
  if (bytes < manyKept) return [{ ...attached, state: 'ok' }]
  return [
    {
      ...attached,
      state: 'warn',
      remedy: 'iris delete <asker> <team> --delete-transcripts (for conversations that you do not need)',
    },
  ]
}

/** A store of an older Iris may lack the table. */
function attachedBytes(database: DatabaseSync): number {
  try {
    const row = database.prepare('SELECT sum(octet_length(content)) AS total FROM attachment_contents').get()
    return Number(row?.['total'] ?? 0)
  } catch {
    return 0
  }
}

/** A message accepted in the future shows that the clock of this machine was set back since. */
function clock(database: DatabaseSync): readonly Finding[] {
  const last = lastAccepted(database)
  if (last === undefined || last <= Date.now() + slackMs) return []
  const detail = `the clock of this machine was set back: the last message is from ${new Date(last).toISOString()}`
  return [{ check: 'clock', state: 'warn', detail, remedy: 'date (correct the clock, if it is wrong now)' }]
}

/** A store of an older Iris may lack the table. */
function lastAccepted(database: DatabaseSync): number | undefined {
  try {
    const row = database.prepare('SELECT max(accepted_at) AS last FROM turns').get()
    return typeof row?.['last'] === 'number' ? row['last'] : undefined
  } catch {
    return undefined
  }
}
