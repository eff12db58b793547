import { echoedUuid, isSystem, isUnsolicited, type Line } from '../../base/agent/line.ts'
import type { UnsolicitedCause, UnsolicitedTurn } from '../../base/agent/unsolicited-turn.ts'
import { HeldLines } from './held-lines.ts'
import { UnsolicitedSigns } from './unsolicited-turn.ts'

/** What a line means for the current delivery. */
export interface Attributed {
  /** Lines of the delivery, in order: earlier ones whose owner is now known, and the line itself. */
  readonly lines: readonly Line[]
  /** The result of the delivery: the last of `lines`. */
  readonly result?: Line
  /** A turn that the CLI began on its own, if it has ended or the delivery's message has joined it. */
  readonly unsolicited?: UnsolicitedTurn
  /**
   * Set if the conversation already has a message with the expected uuid. The CLI does nothing more for that message.
   */
  readonly isKnown?: true
}

interface Written {
  readonly alone: boolean
  readonly isCommand: boolean
}

const nothing: Attributed = { lines: [] }

/**
 * Decides which lines belong to a delivery. The CLI can start turns on its own before or between deliveries, for
 * example after a background task, and a message may join one. Lines are kept until it is known where they belong.
 *
 * In builds whose results have a `result_index`, a result also names the messages that it answers. With other builds, a
 * result belongs to the delivery if the message was echoed since the previous result. Those builds echo a message only
 * after its first text. So if the message was written alone, the lines of the next turn count as the delivery's even
 * before the echo.
 */
export class Attribution {
  #written: Written | undefined
  /** The uuids of the delivery and of the messages that joined it. */
  readonly #uuids = new Set<string>()
  /** Whether lines currently count as the delivery's. */
  #isClaimed = false
  /** Whether a line since the last result has named the delivery. */
  #isNamed = false
  #beganSince = false
  /** Whether the delivery has its own result and now waits for the reports of its background tasks. */
  #waitsForReports = false
  /** Whether a task of another delivery has ended. The next turn may then be the report of that task. */
  #hasOthersNews = false
  #holdsReport = false
  readonly #held = new HeldLines()
  readonly #signs = new UnsolicitedSigns()
  readonly #hasTool: (toolUseId: string) => boolean

  /** `hasTool`: whether a tool was used since the last delivery was written. */
  constructor(hasTool: (toolUseId: string) => boolean) {
    this.#hasTool = hasTool
  }

  /**
   * Expects the turn of the delivery `uuid`. `alone`: when it was written, the process was doing nothing and nothing
   * was due. `isCommand`: whether the message is a Claude Code command. The echo of a command has no time and does not
   * follow an init.
   */
  expect(uuid: string, alone: boolean, isCommand = false): void {
    this.forget()
    this.#uuids.add(uuid)
    this.#written = { alone, isCommand }
  }

  /** Call this when the message `uuid` joins the delivery. */
  join(uuid: string): void {
    this.#uuids.add(uuid)
  }

  /** Whether the CLI has begun the turn of the expected delivery. */
  get isOwned(): boolean {
    return this.#isClaimed || this.#waitsForReports
  }

  /** The unsolicited turn to which a tool that starts now belongs; undefined if the tool belongs to the delivery. */
  get unsolicited(): UnsolicitedCause | undefined {
    return this.#isUnsolicited ? { toolUseId: this.#signs.cause(undefined) } : undefined
  }

  get #isUnsolicited(): boolean {
    if (this.#written === undefined) return true
    if (this.#waitsForReports) return this.#holdsReport && !this.#isOfDelivery(this.#signs.cause(undefined))
    return !this.#isClaimed
  }

  /** Until `forget`, reports of the background tasks that the delivery started belong to it. */
  awaitReports(): void {
    this.#isClaimed = false
    this.#waitsForReports = true
  }

  /** Stops expecting a delivery. */
  forget(): void {
    this.#written = undefined
    this.#uuids.clear()
    this.#turnEnds()
    this.#waitsForReports = false
    this.#hasOthersNews = false
    this.#holdsReport = false
  }

  /**
   * Call after the process has exited. Returns the unsolicited turn that was cut off, and the ends of background tasks
   * that no turn has reported. None of these has a result.
   */
  left(): UnsolicitedTurn[] {
    if (!this.#isUnsolicited) return []
    const { unfinished } = this.#held
    const lines = this.#held.release()
    const cut = { result: undefined, isCut: true } as const
    const [open, ...others] = this.#signs.left(lines).filter((toolUseId) => !this.#isOfDelivery(toolUseId))
    if (open === undefined) return []
    return [
      { lines, unfinished, toolUseId: open, ...cut },
      ...others.map((toolUseId) => ({ lines: [], toolUseId, ...cut })),
    ]
  }

  take(line: Line): Attributed {
    if (this.#isKnown(line)) {
      this.forget()
      return { ...nothing, isKnown: true }
    }
    this.#noteNews(line)
    const attributed = this.#waitsForReports ? this.#report(line) : this.#turn(line)
    this.#signs.take(line)
    return attributed
  }

  /** Both pinned builds echo a known uuid without a time and before any turn begins (test/pins/session.test.ts). */
  #isKnown(line: Line): boolean {
    if (!this.#written?.alone || this.#written.isCommand || this.isOwned || this.#beganSince) return false
    return this.#uuids.has(echoedUuid(line) ?? '') && line['timestamp'] === undefined
  }

  #noteNews(line: Line): void {
    if (isSystem(line, 'task_notification') && !this.#isOfDelivery(line['tool_use_id'])) this.#hasOthersNews = true
  }

  #isOfDelivery(toolUseId: unknown): boolean {
    return typeof toolUseId !== 'string' || (this.#written !== undefined && this.#hasTool(toolUseId))
  }

  #turn(line: Line): Attributed {
    if (isSystem(line, 'init')) this.#beganSince = true
    const unsolicited = this.#claim(line)
    if (line.type === 'result') return this.#end(line, unsolicited)
    if (this.#isClaimed) return { lines: [...this.#held.release(), line], ...(unsolicited && { unsolicited }) }
    // The CLI retries a failing API before the first output, and the caller wants to know at once.
    if (this.#written !== undefined && isSystem(line, 'api_retry')) return { lines: [line] }
    this.#held.hold(line)
    return nothing
  }

  /** Returns the unsolicited turn that the message joined, if this line makes the turn the delivery's. */
  #claim(line: Line): UnsolicitedTurn | undefined {
    if (this.#names(line)) this.#isNamed = true
    if (this.#isClaimed || !(this.#isNamed || this.#beginsAlone(line))) return undefined
    this.#isClaimed = true
    if (!this.#signs.hasOutput) return undefined
    return { lines: this.#held.release(), result: undefined, toolUseId: this.#signs.cause(undefined) }
  }

  /**
   * The first turn after a message that was written alone belongs to that message, unless its result says otherwise.
   */
  #beginsAlone(line: Line): boolean {
    const { ranDeferredTool, news } = this.#signs
    return this.#written?.alone === true && isSystem(line, 'init') && !ranDeferredTool && news.length === 0
  }

  #names(line: Line): boolean {
    const named = line['user_message_uuids']
    return (
      this.#uuids.has(echoedUuid(line) ?? '') || (Array.isArray(named) && named.some((uuid) => this.#uuids.has(uuid)))
    )
  }

  #end(result: Line, unsolicited: UnsolicitedTurn | undefined): Attributed {
    if (!this.#isResultOfDelivery(result)) return this.#unsolicitedEnd(result)
    const lines = [...this.#held.release(), result]
    this.#turnEnds()
    return { lines, result, ...(unsolicited && { unsolicited }) }
  }

  #isResultOfDelivery(result: Line): boolean {
    if (this.#written === undefined) return false
    if (result['result_index'] !== undefined) return this.#names(result)
    if (this.#isNamed) return true
    // 2.1.197 reports tasks that died with the previous process in a separate, empty turn.
    if (isUnsolicited(result)) return false
    if (result['num_turns'] === 0 && !this.#signs.hasOutput) return true
    // 2.1.197 sometimes does not echo the first message after a deferred tool has run.
    return this.#beganSince && !this.#signs.ranDeferredTool
  }

  #report(line: Line): Attributed {
    const isNamed = this.#names(line)
    if (isSystem(line, 'init')) this.#holdsReport = this.#hasOthersNews || this.#signs.ranDeferredTool
    if (isNamed) this.#holdsReport = false
    if (line.type !== 'result') {
      if (!this.#holdsReport) return { lines: [...this.#held.release(), line] }
      this.#held.hold(line)
      return nothing
    }
    this.#holdsReport = false
    if (!isNamed && !this.#isOfDelivery(this.#signs.cause(line))) return this.#unsolicitedEnd(line)
    return { lines: [...this.#held.release(), line], result: line }
  }

  #unsolicitedEnd(result: Line): Attributed {
    this.#turnEnds()
    return {
      ...nothing,
      unsolicited: { lines: [...this.#held.release(), result], result, toolUseId: this.#signs.cause(result) },
    }
  }

  #turnEnds(): void {
    this.#isClaimed = false
    this.#isNamed = false
    this.#beganSince = false
  }
}
