import type { Clock } from '../../base/lib/clock.ts'
import { isLoginLimit, limitName, limitRemedy } from '../../base/protocol/limit.ts'
import { isOpenSessionThread } from '../../base/protocol/open-session-thread.ts'
import type { WaitsFor } from '../../base/protocol/waits-for.ts'
import type { Machines } from '../../platform/machine/machine.ts'
import type { Pool } from '../pool/pool.ts'
import type { Seams } from '../session/seams.ts'
import type { Session } from '../session/session.ts'
import { openIn } from '../session/session-refusals.ts'
import type { Turn } from '../turn/turn.ts'
import type { Orchestrator } from './orchestrator.ts'

export interface WaitsParts {
  readonly orchestrator: Pick<Orchestrator, 'turn' | 'sessionOf'>
  readonly pool: Pick<Pool, 'state' | 'breakers' | 'placeWait' | 'holders'>
  readonly seams: Pick<Seams, 'accounts' | 'holders' | 'otherHosts' | 'questions'>
  readonly machines: Pick<Machines, 'linkOf'>
  readonly clock: Pick<Clock, 'now'>
}

type Found = Omit<WaitsFor, 'since'> & {
  /** When the reason for the wait began, if that is known. The message may have arrived after that. */
  readonly since: number | undefined
}

/** Why messages wait, judged by the current state. */
export class Waits {
  readonly #parts: WaitsParts

  constructor(parts: WaitsParts) {
    this.#parts = parts
  }

  /**
   * What a turn waits for, directly or through another turn: the turn before it in its queue, or a turn whose answer it
   * awaits. Undefined if the turn is running or has ended, or if the cause is unknown. With `alone`, the turns that it
   * awaits are ignored, because the caller may not see them.
   */
  of(turnId: string, alone = false, seen: ReadonlySet<string> = new Set()): WaitsFor | undefined {
    const turn = this.#parts.orchestrator.turn(turnId)
    if (turn === undefined || turn.end !== undefined || seen.has(turnId)) return undefined
    const session = this.#parts.orchestrator.sessionOf(turn)
    const found = this.#own(turn, session)
    if (found !== undefined) {
      const { kind, until, what, remedy } = found
      const began = turn.firstAt ?? turn.facts.acceptedAt
      const since = Math.max(found.since ?? began, turn.facts.acceptedAt)
      return { kind, since, ...(until !== undefined && { until }), what, remedy }
    }
    const [first] = session.queue
    const before = first === undefined || first.id === turnId ? [] : [first.id]
    const visited = new Set([...seen, turnId])
    for (const id of alone ? before : [...before, ...turn.awaits]) {
      const through = this.of(id, alone, visited)
      if (through !== undefined) return through
    }
    return undefined
  }

  /** What the first message in a conversation's queue waits for. */
  ofFirst([first]: readonly string[]): WaitsFor | undefined {
    return first === undefined ? undefined : this.of(first)
  }

  #own(turn: Turn, session: Session): Found | undefined {
    const { pool, seams } = this.#parts
    const asked = this.#question(turn)
    if (asked !== undefined || isOpenSessionThread(session.thread)) return asked
    const limit = this.#limit(turn, session)
    const machine = this.#machine(session)
    if (limit ?? machine) return limit ?? machine
    if (turn.refusal !== undefined) return Object.assign({ kind: 'api' as const }, turn.refusal)
    if (seams.otherHosts.isThere(session.to) || pool.state(session) === 'processing') return undefined
    return this.#holder(session) ?? this.#failures(session) ?? this.#place(turn, session)
  }

  #question({ id, asksElsewhere }: Turn): Found | undefined {
    const asked = this.#parts.seams.questions.ofTurn(id)
    if (asked === undefined && asksElsewhere === undefined) return undefined
    return {
      kind: 'question',
      since: asked?.askedAt,
      ...(asked && { until: asked.deadline }),
      what: `Permission to use ${asked ? `${asked.toolName} (${asked.to})` : asksElsewhere}`,
      remedy: 'answer it in the dashboard or with "iris permissions"',
    }
  }

  #limit(turn: Turn, { to }: Session): Found | undefined {
    const { accounts } = this.#parts.seams
    const limited = accounts.of(to, turn.id)
    if (limited === undefined) return undefined
    // The first turn of a queue may already be running, or may be trying an expired login.
    const isQueued = turn.firstAt === null && turn.dispatchedAt === null
    if (!accounts.holds(turn.id) && !(isQueued && !isLoginLimit(limited.window))) return undefined
    return {
      kind: 'limit',
      since: undefined,
      until: limited.until,
      what: `The account of ${to} ${limitName(limited.window)}`,
      remedy: limitRemedy(limited.window),
    }
  }

  #machine({ to }: Session): Found | undefined {
    const { machines, seams } = this.#parts
    const link = machines.linkOf(to)
    const away = seams.otherHosts.away(to)
    if (link?.state !== 'unreachable' && away === undefined) return undefined
    return {
      kind: 'machine',
      since: away ? away.since : link?.since,
      what: away ? `The machine "${away.host}" is asleep or away` : `The machine of ${to} cannot be reached`,
      remedy: away ? 'wake it up, or start Iris there' : 'wake it up, or check its network; Iris retries automatically',
    }
  }

  #holder(session: Session): Found | undefined {
    const holder = this.#parts.seams.holders.holderOf(session)
    if (holder === undefined) return undefined
    return { since: holder.since, ...openIn(holder) }
  }

  #failures(session: Session): Found | undefined {
    const broken = this.#parts.pool.breakers.broken(session)
    if (broken === undefined || broken.retryAt <= this.#parts.clock.now()) return undefined
    return {
      kind: 'failures',
      since: undefined,
      until: broken.retryAt,
      what: `Claude Code of ${session.to} failed five times within a minute`,
      remedy: `run claude in its project to see why; Iris retries automatically`,
    }
  }

  #place(turn: Turn, session: Session): Found | undefined {
    const { pool, seams } = this.#parts
    const wait = pool.placeWait(turn.id)
    if (wait === undefined || pool.state(session) !== 'stopped') return undefined
    const asking = pool.holders().find(({ row }) => seams.questions.ofSession(row.id) !== undefined)
    // A process that waits for a person's answer can be freed at once, by the person who reads this.
    const remedy = asking && `answer the permission request of ${asking.to}, or ${wait.remedy}`
    return { ...wait, ...(remedy !== undefined && { remedy }) }
  }
}
