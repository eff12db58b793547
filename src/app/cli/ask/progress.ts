import type { Output } from '../../../adapters/client/tool-call.ts'
import { limitWords } from '../../../base/protocol/limit.ts'
import { standingOf } from '../../../base/protocol/standing.ts'
import type { StreamEvent } from '../daemon-events.ts'
import { localTime } from '../moment.ts'
import { begun, isRetry, says, tells, type Work } from '../monitor/work.ts'

/** How long after new text no status is shown, milliseconds: the growing text itself shows activity. */
const writesMs = 1500

type Accepted = Pick<Output<'message_status'>, 'turnId' | 'from' | 'to' | 'thread'>
type Standing = ReturnType<typeof standingOf>

/** Describes the state of a message in a few words, from the events of its team. */
export class Progress {
  readonly #message: Accepted
  #work: Work
  /** When the message was delivered to Claude, and when its answer last grew; milliseconds since the epoch. */
  #deliveredAt: number | undefined
  #wroteAt = 0
  #standing: Standing | undefined
  /** The number of messages before this one in the queue. Undefined if unknown. */
  #ahead: number | undefined
  #directory: string | undefined
  #hasSnapshot = false
  /** The account limit that the message may be waiting for. */
  #limited: { readonly by: string | undefined; readonly until: number } | undefined
  readonly #questions = new Set<string>()
  #isConnected = true

  constructor(message: Accepted) {
    this.#message = message
    this.#work = begun(message.turnId)
  }

  /** Whether the daemon's events arrive; without them, the state of the message is unknown. */
  connected(isConnected: boolean): void {
    this.#isConnected = isConnected
  }

  take(event: StreamEvent, now: number): void {
    switch (event.type) {
      case 'snapshot':
        return this.#takeSnapshot(event, now)
      case 'session-changed':
        if (this.#isOfPair(event.session)) this.#standing = standingOf(event.session)
        return
      case 'turn-accepted':
        if (this.#isIt(event)) this.#ahead = event.ahead
        return
      case 'turn-settled':
        if (!this.#isOfPair(event) || this.#isIt(event) || this.#ahead === undefined) return
        // If the ended turn was never delivered, it may have been behind this one in the queue.
        this.#ahead = event.queuedMs === null ? undefined : Math.max(0, this.#ahead - 1)
        return
      case 'turn-delivered':
        if (this.#isIt(event)) this.#deliveredAt ??= event.at
        return
      case 'turn-text':
        if (!this.#isIt(event)) return
        this.#work = says(this.#work, event.at, event.text)
        this.#wroteAt = now
        this.#limited = undefined
        return
      case 'turn-message':
        if (!this.#isIt(event)) return
        this.#deliveredAt ??= event.at
        this.#work = tells(this.#work, event.message)
        if (this.#usesTool && !isRetry(event.message)) this.#limited = undefined
        return
      case 'account-limited':
        if (event.team === this.#message.to) this.#limited = { by: event.window, until: event.until }
        return
      case 'permission:request':
        if (event.permission.turnId === this.#message.turnId) this.#questions.add(event.permission.permissionId)
        return
      case 'permission:resolved':
      case 'permission:timeout':
        this.#questions.delete(event.permission.permissionId)
        return
      default:
    }
  }

  /** The state of the message; undefined while its answer grows. `now`: milliseconds since the epoch. */
  text(now: number): string | undefined {
    const { to } = this.#message
    if (!this.#isConnected) return 'Iris is not responding; waiting for it'
    if (this.#questions.size > 0) return 'waiting for you'
    const limited = this.#limited
    if (limited !== undefined && now < limited.until)
      return limitWords(limited.by, limited.until, { at: localTime, now })
    if (this.#deliveredAt !== undefined) return this.#working(now, this.#deliveredAt)
    if (this.#ahead !== undefined && this.#ahead > 0) return `queued (${this.#ahead} ahead of you)`
    if (this.#standing === 'open elsewhere') return `${to} is open elsewhere: the message waits`
    if (this.#standing === 'failed') return `${to} did not start: Iris is retrying`
    return this.#standing === 'asleep' || this.#standing === 'starting' ? `waking ${to}` : 'queued'
  }

  #working(now: number, since: number): string | undefined {
    const { doing } = this.#work
    if (doing === 'writes' && now - this.#wroteAt < writesMs) return undefined
    const seconds = `working ${Math.max(0, Math.floor((now - since) / 1000))} s`
    return this.#usesTool ? `${seconds}, ${this.#inProject(doing)}` : seconds
  }

  get #usesTool(): boolean {
    return this.#work.doing !== 'writes' && this.#work.doing !== 'thinks'
  }

  /** Makes paths in the project relative. */
  #inProject(doing: string): string {
    return this.#directory === undefined ? doing : doing.replaceAll(`${this.#directory}/`, '')
  }

  #takeSnapshot({ teams, turns }: Extract<StreamEvent, { type: 'snapshot' }>, now: number): void {
    const team = teams.find(({ name }) => name === this.#message.to)
    this.#directory = team?.config.path
    const { limitedUntil: until, limitedBy: by } = team?.config ?? {}
    this.#limited = until === undefined ? undefined : { until, by }
    const { from, thread, turnId } = this.#message
    const session = team?.sessions.find((each) => each.from === from && each.thread === thread)
    if (session === undefined) return
    this.#standing = standingOf(session)
    const { processState, queueLength } = session
    const isNext = turns.some((turn) => turn.turnId === turnId)
    if (isNext && processState === 'processing') this.#deliveredAt ??= now
    if (isNext) this.#ahead = 0
    // In the first snapshot the message is the last of its queue, because it was accepted a moment ago.
    else if (this.#hasSnapshot) this.#ahead = undefined
    else this.#ahead ??= Math.max(0, queueLength - 1 + (processState === 'processing' ? 1 : 0))
    this.#hasSnapshot = true
  }

  #isIt({ turnId }: { readonly turnId: string }): boolean {
    return turnId === this.#message.turnId
  }

  #isOfPair({ from, to, thread }: Pick<Accepted, 'from' | 'to' | 'thread'>): boolean {
    const own = this.#message
    return from === own.from && to === own.to && thread === own.thread
  }
}
