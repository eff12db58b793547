import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import type { Attempt, Attempted, attempt } from '../../src/base/lib/attempt.ts'
import { createLog } from '../../src/base/lib/log.ts'
import { Secrets } from '../../src/base/lib/secrets.ts'
import { Outbox } from '../../src/features/outbox/outbox.ts'
import { OutboxRows } from '../../src/features/outbox/rows.ts'
import { openJournal } from '../../src/kernel/journal/journal.ts'
import type { CallbackConfig, Config } from '../../src/platform/config/config.ts'
import { Ledger } from '../../src/platform/store/ledger.ts'
import { SessionRows } from '../../src/platform/store/sessions.ts'
import { eventually } from './eventually.ts'
import { FakeClock } from './fake-clock.ts'
import { newStore } from './new-store.ts'

export const [oldSecret, newSecret] = ['the old secret of this receiver, 32', 'the new secret of this receiver, 32']

/** The writes of a daemon that is killed before one of them: from then on nothing is written. */
class MortalRows extends OutboxRows {
  left = Number.POSITIVE_INFINITY

  override setCursor(...row: Parameters<OutboxRows['setCursor']>): void {
    this.#count()
    super.setCursor(...row)
  }

  override put(...row: Parameters<OutboxRows['put']>): number {
    this.#count()
    return super.put(...row)
  }

  override remove(...row: Parameters<OutboxRows['remove']>): void {
    this.#count()
    super.remove(...row)
  }

  #count(): void {
    this.left -= 1
    if (this.left < 0) throw new Error('the daemon was killed')
  }
}

/** A store with its journal, and callbacks on it. */
export class OutboxWorld {
  readonly home = mkdtempSync(join(tmpdir(), 'iris-outbox-'))
  readonly store = newStore()
  readonly ledger = new Ledger(this.store)
  readonly clock = new FakeClock()
  readonly warned: string[] = []
  readonly log = createLog({ least: () => 'error', keep: ({ message }) => this.warned.push(message) })
  readonly gaveUp: string[] = []
  callbacks = new Map<string, CallbackConfig>()
  /** Addresses of names. */
  names: Record<string, string[]> = {}
  outbox: Outbox
  #rows!: MortalRows
  #turns = 0
  #ids = 0

  readonly #attempt: typeof attempt

  constructor(by: typeof attempt) {
    this.#attempt = by
    for (const [name, secret] of Object.entries({ old: oldSecret, new: newSecret }))
      writeFileSync(join(this.home, name), secret, { mode: 0o600 })
    this.store.exec(
      `INSERT INTO team_sessions (id, from_team, to_team, thread, session_id, created_at, last_used_at, status)
       VALUES (1, 'program:ci', 'backend', 'main', 's1', 0, 0, 'active'), (2, 'program:ci', 'backend', 'other', 's2', 0, 0, 'active')`,
    )
    this.outbox = this.#daemon()
    onTestFinished(() => {
      this.outbox.close()
      rmSync(this.home, { recursive: true })
    })
  }

  #daemon(): Outbox {
    const { ledger, clock, log, store } = this
    const sessions = new SessionRows(store)
    this.#rows = new MortalRows(store)
    const newId = () => `00000000-0000-4000-8000-${String(++this.#ids).padStart(12, '0')}`
    return new Outbox({
      ledger,
      clock,
      log,
      newId,
      journal: openJournal({ ledger, clock, log, newId }),
      rows: this.#rows,
      rowOf: (session) => sessions.byId(session)!,
      config: () => ({ home: this.home, callbacks: this.callbacks }) as unknown as Config,
      env: {},
      secrets: new Secrets(),
      attempt: this.#attempt,
      random: () => 0.5,
      gaveUp: (turnId) => this.gaveUp.push(turnId),
      resolve: async (name) =>
        (this.names[name] ?? []).map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
    })
  }

  /** The daemon is killed and starts again. */
  restart(): void {
    this.outbox.close()
    this.outbox = this.#daemon()
    this.outbox.begin()
  }

  /** The daemon is killed before its write with this number, the first is 1. */
  dieBefore(write: number): void {
    this.#rows.left = write - 1
  }

  get isDead(): boolean {
    return this.#rows.left < 0
  }

  /** The number of conversations in addition to the existing two. */
  converse(count: number): void {
    for (let session = 3; session < 3 + count; session++)
      this.store.exec(
        `INSERT INTO team_sessions (id, from_team, to_team, thread, session_id, created_at, last_used_at, status)
         VALUES (${session}, 'program:ci', 'backend', 't${session}', 's${session}', 0, 0, 'active')`,
      )
  }

  callback(url: string, more: Partial<CallbackConfig> = {}): void {
    const name = more.name ?? 'ci'
    const usual = { events: ['turn-settled'], include: 'status', private: false, secretFile: 'old' } as const
    this.callbacks.set(name, { ...usual, name, url, ...more })
    this.outbox.changed()
  }

  /** A message that names the callback has ended. */
  ends(session = 1, { callback = 'ci', answer = 'done' }: { callback?: string | null; answer?: string } = {}): string {
    const id = `turn-${++this.#turns}`
    const turn = this.store.prepare(
      `INSERT INTO turns (id, session, message, hop, awaited, state, outcome, answer, accepted_at, callback, metadata)
       VALUES (?, ?, 'm', 1, 0, 'settled', 'completed', ?, 0, ?, '{"build":7}')`,
    )
    this.ledger.atomically(() => {
      turn.run(id, session, answer, callback)
      this.ledger.journal.add({ at: this.clock.now(), type: 'turn-settled', turn: id, question: null })
    })
    return id
  }

  row(name = 'ci') {
    return this.outbox.list().find(({ callback }) => callback.name === name)!
  }

  /** Moves time in steps, so that what is posted meanwhile is answered. */
  async pass(ms: number, until: () => boolean, what: string): Promise<void> {
    await eventually(async () => {
      if (until()) return true
      await this.clock.advance(ms)
      return until()
    }, what)
  }
}

/** A post to a receiver in memory. */
export interface Posted {
  readonly id: string
  readonly turnId: string
  readonly answer: (status: number) => void
}

/** A receiver without a socket. A post that it does not answer ends after the time of a try. */
export class MemoryReceiver {
  readonly posts: Posted[] = []
  readonly #respond: (post: Posted) => void

  constructor(respond: (post: Posted) => void) {
    this.#respond = respond
  }

  readonly attempt = ({ headers, body, clock, withinMs }: Attempt): Promise<Attempted> => {
    const { promise, resolve } = Promise.withResolvers<Attempted>()
    const cancel = clock.after(withinMs, () => resolve({ failed: 'it did not answer', isRefused: false }))
    const answer = (status: number): void => {
      cancel()
      resolve({ reply: { status, header: () => undefined, body: undefined } })
    }
    const { turnId } = JSON.parse(String(body)).data
    const post = { id: headers['webhook-id']!, turnId, answer }
    this.posts.push(post)
    this.#respond(post)
    return promise
  }
}
