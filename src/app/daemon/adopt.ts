import { randomUUID } from 'node:crypto'
import { rmSync } from 'node:fs'
import { relative } from 'node:path'
import { systemClock } from '../../base/lib/clock.ts'
import { IrisError } from '../../base/protocol/error.ts'
import { ScheduleRows } from '../../features/schedules/rows.ts'
import { type Environment, homePaths, irisHome } from '../../platform/config/home.ts'
import { type Adoptable, movedHome, notAdopted, thisHome, writeHomeRecord } from '../../platform/config/home-record.ts'
import { LiveConfig } from '../../platform/config/live-config.ts'
import { loadConfig } from '../../platform/config/load.ts'
import { makeFilesPrivate } from '../../platform/machine/private-files.ts'
import { Adoption, type LeftMessage, type LeftSchedule } from '../../platform/store/adoption.ts'
import { transaction } from '../../platform/store/database.ts'
import { lockInstance } from '../../platform/store/instance-lock.ts'
import { Ledger } from '../../platform/store/ledger.ts'
import { SessionRows } from '../../platform/store/sessions.ts'
import type { Store } from '../../platform/store/store.ts'
import { describeDaemon } from './daemon-file.ts'
import { openOwnStore } from './open-own-store.ts'
import { unadoptedHome } from './own-home.ts'

/** What a copied or restored home would do if it continued on its own. */
export interface Left {
  readonly home: string
  readonly why: Adoptable
  readonly messages: readonly LeftMessage[]
  readonly schedules: readonly LeftSchedule[]
  readonly posts: number
}

export type AdoptDecision = 'deliver' | 'cancel'

/**
 * Undefined for a home that needs no decision. Throws `already_running`, `not_adopted` for a home that shares its files
 * with another home, and the store's errors.
 */
export function leftIn(env: Environment): Promise<Left | undefined> {
  return withStore(env, (store, why, home) => leftOf(store, why, home))
}

/**
 * Decides what becomes of the messages in a copied or restored home; after that, its daemon may start. A copy gets its
 * own credentials when its daemon starts, and its conversations stay with the original. Throws the same errors as
 * `leftIn`.
 */
export function adopt(env: Environment, decision: AdoptDecision): Promise<Left | undefined> {
  return withStore(env, (store, why, home) => {
    const left = leftOf(store, why, home)
    const now = systemClock.now()
    transaction(store, () => {
      if (decision === 'cancel') cancel(store, left, now)
      if (why.kind === 'copy') leaveToOriginal(store, why.of, now)
    })
    if (why.kind === 'copy') forgetCredentials(home)
    writeHomeRecord(home, why.kind === 'copy' ? thisHome(home) : movedHome(home))
    return left
  })
}

function leftOf(store: Store, why: Adoptable, home: string): Left {
  const rows = new Adoption(store)
  return { home, why, messages: rows.messages(), schedules: rows.schedules(), posts: rows.posts() }
}

function cancel(store: Store, { why, schedules }: Left, now: number): void {
  const detail = `Cancelled by "iris adopt": ${why.kind === 'copy' ? `this home is a copy of ${why.of}` : 'this home was restored from a backup'}.`
  const rows = new Adoption(store)
  const ledger = new Ledger(store)
  ledger.journal.begin(randomUUID().slice(-12))
  for (const { id, session, partial, firstAt, startedAt, dispatchedAt } of ledger.unsettled()) {
    ledger.settle(
      { id, session },
      {
        outcome: 'cancelled',
        reason: 'cancelled',
        detail,
        answer: null,
        partial,
        usage: null,
        background: null,
        firstAt,
        startedAt,
        settledAt: now,
        contextReset: null,
        answeredDelivery: null,
        neverBegan: dispatchedAt === null,
        contextTokens: null,
        contextWindow: null,
        toolEnds: [],
      },
    )
  }
  const scheduled = new ScheduleRows(store)
  for (const { scheduleId } of schedules) scheduled.cancel(scheduleId, now)
  rows.cancelPosts(detail)
  rows.cancelNotices(now)
}

/**
 * If two Irises wrote to the same Claude Code conversation, they would corrupt it, so each message here begins a new
 * conversation.
 */
function leaveToOriginal(store: Store, original: string, now: number): void {
  const why = `this home is a copy of ${original}, where the conversation continues`
  const rows = new Adoption(store)
  const ledger = new Ledger(store)
  const sessions = new SessionRows(store)
  const waiting = new Set(ledger.unsettled().map(({ session }) => session))
  const left = rows.leaveConversations(why, now)
  rows.leaveCluster()
  for (const id of waiting) {
    if (!left.has(id)) continue
    const { sessionId, ...pair } = sessions.byId(id)!
    const made = { sessionId: randomUUID(), origin: 'reset', originSession: sessionId, originMessage: null } as const
    ledger.moveTurns(id, sessions.create(pair, made, now).id, why)
  }
}

/**
 * The daemon makes new credentials when it starts. Installations outside of the original's home belong to the original.
 */
function forgetCredentials(home: string): void {
  const { token, owner, tokens, tokenKey, logins, clusterKey, keeper, installed, daemonFile, socket } = homePaths(home)
  for (const path of [token, owner, tokens, tokenKey, logins, clusterKey, keeper, installed, daemonFile, socket])
    rmSync(path, { force: true })
}

/** The config.yaml of a copy or a backup may still name the original's store. */
function refuseSharedStore(home: string, path: string, why: Adoptable): void {
  if (!relative(home, path).startsWith('..')) return
  const where = `database.path in config.yaml is ${path}, outside of this home`
  if (why.kind === 'copy')
    throw new IrisError(
      'config_invalid',
      `${where}: it is the store of ${why.of}.`,
      'Copy that file too, and give the path of the copy.',
    )
  throw new IrisError(
    'config_invalid',
    `${where}: the store of the backup is in this home.`,
    'Remove that line from config.yaml, so that Iris uses the restored store.',
  )
}

async function withStore<T>(
  env: Environment,
  work: (store: Store, why: Adoptable, home: string) => T,
): Promise<T | undefined> {
  const home = irisHome(env)
  const why = unadoptedHome(home)
  if (why === undefined) return undefined
  if (why.kind === 'linked') throw notAdopted(home, why)
  const files = makeFilesPrivate()
  const paths = homePaths(home)
  const unlock = lockInstance(paths.lock, () => describeDaemon(paths.daemonFile))
  try {
    const live = new LiveConfig(await loadConfig({ home, env }))
    refuseSharedStore(home, live.current().database.path, why)
    const { store } = await openOwnStore({ live, clock: systemClock, env, random: Math.random }, async () => {})
    try {
      return work(store, why, home)
    } finally {
      store.close()
    }
  } finally {
    unlock()
    files.restore()
  }
}
