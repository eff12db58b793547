import type { Clock } from '../../base/lib/clock.ts'
import type { Log } from '../../base/lib/log.ts'
import { IrisError, toIrisError } from '../../base/protocol/error.ts'
import type { IrisEvent } from '../../base/protocol/event.ts'
import { pairText } from '../../base/protocol/pair.ts'
import { admissible } from '../../kernel/accept/admission.ts'
import type { TurnHandle, Turns } from '../../kernel/accept/turn-handle.ts'
import type { OrchestratorParts } from '../../kernel/recover/parts.ts'
import type { Ask } from '../../kernel/turn/ask.ts'
import { nextTime, type SchedulePlan } from '../../kernel/turn/plan.ts'
import type { LiveAsks } from '../live/live-asks.ts'
import type { TypedAsks } from '../typed/typed-asks.ts'
import type { ScheduleRow, ScheduleRows } from './rows.ts'

/** The fields of an ask that are kept until its time comes. */
export type ScheduledAsk = Pick<
  Ask,
  'pair' | 'role' | 'message' | 'waits' | 'budget' | 'responseSchema' | 'whenBusy' | 'priority' | 'live'
>
export type Schedule = ScheduleRow<ScheduledAsk, SchedulePlan>

export interface SchedulesParts extends Pick<OrchestratorParts, 'config' | 'seams'> {
  readonly rows: ScheduleRows<ScheduledAsk, SchedulePlan>
  readonly clock: Clock
  readonly log: Pick<Log, 'info' | 'warn'>
  readonly publish: (event: IrisEvent) => void
  readonly turns: Pick<Turns, 'ask' | 'handle' | 'byKey'>
  readonly typed: Pick<TypedAsks, 'concerns' | 'admitted'>
  readonly live: Pick<LiveAsks, 'mustTake'>
}

const maxSchedules = 500
/** How often the clock is checked: the wall clock can be set, and timers stop while the machine sleeps. */
const lookMs = 30_000
/** These errors are temporary, so the message is sent at the next check. */
const passing = new Set(['store_unavailable', 'shutting_down'])

/**
 * Messages that are sent at a time, once or again and again. Each time is one turn. One commit stores the turn's
 * acceptance and the next time. If times were missed because Iris did not run or the machine slept, one message makes
 * up for them.
 */
export class Schedules {
  readonly #parts: SchedulesParts
  #cancelTimer = (): void => {}
  #begun = false
  #atWork = false
  /** The wall clock at the last check. */
  #lookedAt = Number.POSITIVE_INFINITY

  constructor(parts: SchedulesParts) {
    this.#parts = parts
  }

  /** Throws the error with which an ask for that message would be refused now, and `invalid_input` for too many. */
  async add(id: string, ask: ScheduledAsk, plan: SchedulePlan, nextAt: number): Promise<Schedule> {
    const { rows, clock, typed, live } = this.#parts
    const known = rows.byId(id)
    if (known) return known
    if (rows.isCancelled(id)) throw cancelled(id)
    admissible(ask, { chain: [], hop: 1 }, this.#parts)
    const whole = { ...ask, idempotencyKey: undefined, parent: undefined }
    // Whether a session is open is checked when the time comes.
    if (ask.live === true) live.mustTake(whole)
    if (typed.concerns(whole)) await typed.admitted(whole)
    if (rows.all().length >= maxSchedules) {
      const what = `${maxSchedules} messages are already scheduled, which is the limit.`
      throw new IrisError('invalid_input', what, 'Cancel one: iris schedules, iris cancel <id>.')
    }
    rows.add({ id, ask, plan, nextAt, createdAt: clock.now() })
    this.#changed()
    this.#arm()
    return rows.byId(id)!
  }

  byId(id: string): Schedule | undefined {
    return this.#parts.rows.byId(id)
  }

  /** The message that a one-time schedule has sent. The schedule itself is forgotten by then. */
  async sentOnce(id: string): Promise<TurnHandle | undefined> {
    return this.#parts.turns.byKey(keyOf(id))
  }

  /** The next message first. */
  all(): readonly Schedule[] {
    return this.#parts.rows.all()
  }

  /** Returns whether a message was scheduled under this id. */
  cancel(id: string): boolean {
    const removed = this.#parts.rows.cancel(id, this.#parts.clock.now())
    this.#changed()
    return removed
  }

  /** Called when work may begin: sends due messages. */
  begin(): void {
    this.#begun = true
    void this.#look()
  }

  close(): void {
    this.#begun = false
    this.#cancelTimer()
  }

  /** `atLeastMs`: after a fault, due messages must not be tried again at once. */
  #arm(atLeastMs = 0): void {
    this.#cancelTimer()
    if (!this.#begun) return
    const next = this.#parts.rows.first()
    if (next === undefined) return
    const leftMs = Math.max(atLeastMs, next.nextAt! - this.#parts.clock.now())
    this.#cancelTimer = this.#parts.clock.after(Math.min(leftMs, lookMs), () => void this.#look())
  }

  async #look(): Promise<void> {
    if (this.#atWork) return
    this.#atWork = true
    let atLeastMs = 0
    try {
      const { rows, clock } = this.#parts
      this.#noticeClock(clock.now())
      for (let due = rows.first(); due && due.nextAt! <= clock.now(); due = rows.first())
        if (this.#begun && (await this.#send(due))) this.#changed()
        else {
          atLeastMs = lookMs
          break
        }
    } catch (error) {
      atLeastMs = lookMs
      this.#parts.log.warn(`scheduled messages wait: ${String(error)}`)
    } finally {
      this.#atWork = false
      this.#wait(atLeastMs)
    }
  }

  /**
   * While the clock was ahead, the next times were computed too late. They move back with the clock; the key of a
   * message keeps it from being sent twice.
   */
  #noticeClock(now: number): void {
    const { rows } = this.#parts
    const wentBack = now < this.#lookedAt
    this.#lookedAt = now
    if (!wentBack) return
    for (const { id, plan, nextAt, lastTurn, problem } of rows.all()) {
      const hadATime = plan.every !== null && (lastTurn !== null || problem !== null)
      if (!hadATime || nextAt === null) continue
      const next = nextTime(plan, now)
      if (next < nextAt) rows.move(id, next, null, problem)
    }
    this.#changed()
  }

  #changed(): void {
    this.#parts.publish({ type: 'schedules-changed' })
  }

  /** Also runs after a fault, because the timer of the next check must not depend on the store. */
  #wait(atLeastMs: number): void {
    try {
      this.#arm(atLeastMs)
    } catch {
      this.#cancelTimer = this.#parts.clock.after(lookMs, () => void this.#look())
    }
  }

  /** Resolves to whether the schedule's present time is done. */
  async #send({ id, ask, plan, nextAt, lastTurn }: Schedule): Promise<boolean> {
    const { rows, clock, turns, log } = this.#parts
    const next = plan.every === null ? null : nextTime(plan, clock.now())
    // The schedule may be cancelled while something is awaited here.
    const isDue = (): boolean => rows.byId(id)?.nextAt === nextAt
    const sent = (turn: string): void => (next === null ? void rows.remove(id) : rows.move(id, next, turn, null))
    try {
      if (lastTurn !== null && (await this.#isAtWork(lastTurn))) {
        rows.move(id, next, null, 'Left out: the message before had not ended.')
        return true
      }
      if (!isDue()) return true
      const turn = await turns.ask({
        ...ask,
        parent: undefined,
        idempotencyKey: plan.every === null ? keyOf(id) : `${keyOf(id)}\0${nextAt}`,
        alongside: (turnId) => {
          if (!isDue()) throw cancelled(id)
          sent(turnId)
        },
      })
      // A message that joins the running turn is not accepted as a turn, so it is noted here. Its key makes it join
      // once.
      if (isDue()) sent(turn.id)
      return true
    } catch (error) {
      if (!isDue()) return true
      const { code, message } = toIrisError(error)
      if (passing.has(code)) return false
      log.warn(`a scheduled message was refused: ${message}`, { pair: pairText(ask.pair), schedule: id })
      rows.move(id, next, null, message)
      return true
    }
  }

  async #isAtWork(turnId: string): Promise<boolean> {
    const status = await this.#parts.turns.handle(turnId).status()
    return status !== undefined && 'live' in status && status.live.end === undefined
  }
}

/** No asker's name is empty, so no caller's key can equal this one. */
function keyOf(id: string): string {
  return `\0schedule\0${id}`
}

function cancelled(id: string): IrisError {
  return new IrisError(
    'invalid_input',
    `The scheduled message ${id} was cancelled.`,
    'To schedule it again, use another key.',
  )
}
