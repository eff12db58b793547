import { echoedUuid, isUnsolicited, type Line, textOf } from '../../base/agent/line.ts'
import type { ClaudeResult } from '../../base/agent/run-result.ts'
import type { Pair } from '../../base/protocol/pair.ts'
import { joinedTexts, Speech } from '../../claude/driver/answer.ts'
import { BackgroundTasks } from '../../claude/driver/background-tasks.ts'
import { type EndingSigns, EndingSignsReader } from '../../claude/driver/ending-signs.ts'
import { isFromIris, unwrapMessage } from '../../claude/driver/envelope.ts'
import { isTaskNews } from '../../claude/driver/reports-due.ts'
import { joined, toResult, withAnswer } from '../../claude/driver/result.ts'
import { judgeLines, promptOf } from '../../claude/driver/transcript.ts'
import {
  ended,
  nothingPaused,
  type PausedSpeech,
  pausedAfter,
  recovered,
  type Verdict,
  verdict,
  withPaused,
} from '../turn/verdict.ts'

/** A turn as a file shows it. Times are milliseconds since the epoch. */
export interface ReconstructedTurn {
  /** The uuid of its first delivery. */
  readonly id: string
  /** The uuid of its last delivery. */
  delivery: string
  readonly pair: Pair | undefined
  readonly message: string
  readonly at: number
  partial: string
  /** The text of replies that the API paused. */
  paused: PausedSpeech
  end: (Verdict & { readonly at: number }) | undefined
}

/** Returns the turn of a delivery, if it is known from elsewhere, for example from the old store. */
export type TurnOf = (delivery: string) => string | undefined

/** Collects turns from the messages that Iris gave to Claude, in the order in which it gave them. */
class Telling {
  readonly turns = new Map<string, ReconstructedTurn>()
  readonly #turnOf: TurnOf
  #last: ReconstructedTurn | undefined

  constructor(turnOf: TurnOf) {
    this.#turnOf = turnOf
  }

  /**
   * Adds a delivery. A continuation belongs to the turn that is known from elsewhere or, if none is, to the turn before
   * it.
   */
  delivered(line: Line, uuid: string): ReconstructedTurn {
    const text = textOf(line)
    const message = unwrapMessage(text)
    const before = text.includes('<iris-continuation>') ? this.#last?.id : undefined
    const id = this.#turnOf(uuid) ?? before ?? uuid
    const at = Date.parse(String(line['timestamp'])) || 0
    const fresh = {
      id,
      delivery: uuid,
      pair: message?.pair,
      message: message?.text ?? text,
      at,
      partial: '',
      paused: nothingPaused,
    }
    const turn: ReconstructedTurn = this.turns.get(id) ?? { ...fresh, end: undefined }
    turn.delivery = uuid
    this.turns.set(id, turn)
    this.#last = turn
    return turn
  }
}

/**
 * The turns in the output of a CLI. The first result after an echoed message belongs to that message. So do results
 * that report what the turn started in the background. Unsolicited turns belong to no message.
 */
export async function turnsOfConversation(lines: AsyncIterable<Line>, turnOf: TurnOf) {
  const telling = new Telling(turnOf)
  let open: Spoken | undefined
  for await (const line of lines) {
    const uuid = echoedUuid(line)
    if (uuid !== undefined && !isTaskNews(line)) {
      open = isFromIris(textOf(line)) ? new Spoken(telling.delivered(line, uuid)) : undefined
    } else if (open?.take(line)) open = undefined
  }
  return telling.turns
}

/** One delivery in the output of the CLI. */
class Spoken {
  readonly #turn: ReconstructedTurn
  readonly #tasks = new BackgroundTasks(() => 0)
  readonly #results: ClaudeResult[] = []
  /**
   * The turn's text up to this delivery's last result. Before the first result, this is the text from earlier
   * deliveries.
   */
  #before: string
  #speech = new Speech()
  readonly #signs = new EndingSignsReader()
  #tookMs = 0

  constructor(turn: ReconstructedTurn) {
    this.#turn = turn
    this.#before = turn.partial
  }

  /** Returns whether this line ends the turn. */
  take(line: Line): boolean {
    this.#tasks.take(line)
    this.#speech.take(line)
    this.#signs.take(line)
    this.#turn.partial = joinedTexts([this.#before, this.#speech.everything])
    if (line.type !== 'result') return false
    const speech = this.#speech
    this.#speech = new Speech()
    if (isUnsolicited(line) && this.#results.length === 0) {
      this.#turn.partial = this.#before
      return false
    }
    const own = withAnswer(toResult(line), speech)
    this.#before = this.#turn.partial
    this.#results.push(own)
    this.#tookMs += typeof line['duration_ms'] === 'number' ? line['duration_ms'] : 0
    const waits = this.#tasks.answering.length > 0 || this.#tasks.hasUnreportedNews
    if (waits && !(own.isError && this.#results.length === 1)) return false
    const result = joined(this.#results)
    const end = endOf(result, this.#signs.signs, this.#turn.partial)
    this.#turn.end = { ...withPaused(this.#turn.paused, end), at: this.#turn.at + this.#tookMs }
    if (end.reason === 'paused') this.#turn.paused = pausedAfter(this.#turn.paused, result)
    return true
  }
}

/** An interrupted turn ends with its own error. The reason for the interruption is no longer known. */
function endOf(result: ClaudeResult, signs: EndingSigns, partial: string): Verdict {
  const isInterrupted = result.isError && result.terminalReason?.startsWith('aborted') === true
  return isInterrupted
    ? ended('cancelled', 'cancelled', 'It was interrupted.', partial)
    : verdict(result, signs, partial)
}

/** The turns in Claude Code's own transcript. */
export function turnsOfTranscript(texts: readonly string[], turnOf: TurnOf): ReadonlyMap<string, ReconstructedTurn> {
  const telling = new Telling(turnOf)
  const deliveries = texts.flatMap((text, index) => {
    const line = text.includes('<iris-') ? promptOf(text) : undefined
    return line && isFromIris(textOf(line)) ? [{ line, index }] : []
  })
  for (const [number, { line, index }] of deliveries.entries()) {
    const uuid = String(line['uuid'])
    const turn = telling.delivered(line, uuid)
    const record = judgeLines(texts.slice(index, deliveries[number + 1]?.index), uuid)
    if (record.kind === 'answered')
      turn.end = { ...withPaused(turn.paused, recovered(record.answer, record.notes)), at: turn.at }
    else if (record.kind === 'unfinished') {
      turn.partial = joinedTexts([turn.partial, record.partial])
      if (record.paused) turn.paused = pausedAfter(turn.paused, record.paused)
    }
  }
  return telling.turns
}
