import type { LivePiece, LiveTurn } from '../../../base/protocol/live-turn.ts'

/** A piece of a turn's text or thinking, made once for all readers. */
export interface TextPiece {
  readonly turn: LiveTurn
  readonly type: LivePiece['type']
  /** A LivePiece without its type. */
  readonly json: string
}

/** How many flushes are kept. A reader that is further behind gets the whole texts. */
const maxWaves = 50

/** The text of running turns: each flush contains the text added since the previous one. */
export class LiveTexts {
  readonly #turns: () => readonly LiveTurn[]
  #sent = new Map<string, LiveTurn>()
  readonly #flushes: (readonly TextPiece[])[] = []
  #last = 0

  constructor(turns: () => readonly LiveTurn[]) {
    this.#turns = turns
  }

  /** The number of the newest flush. */
  get last(): number {
    return this.#last
  }

  /** Every running turn, with its whole text up to the newest flush. */
  get turns(): readonly LiveTurn[] {
    return [...this.#sent.values()]
  }

  /** Makes a flush of the text since the last call, if there is any. */
  gather(): void {
    const turns = this.#turns()
    const flush = turns.flatMap((turn) => piecesAfter(this.#sent.get(turn.turnId), turn))
    this.#sent = new Map(turns.map((turn) => [turn.turnId, turn]))
    if (flush.length === 0) return
    this.#last += 1
    if (this.#flushes.push(flush) > maxWaves) this.#flushes.shift()
  }

  /** Drops a turn whose end was published, so that no reader gets the turn's text after its end. */
  drop(turnId: string): void {
    this.#sent.delete(turnId)
  }

  /** The pieces after that flush. The whole texts if the flush is undefined or no longer kept. */
  since(flush: number | undefined): readonly TextPiece[] {
    const missed = flush === undefined ? Number.POSITIVE_INFINITY : this.#last - flush
    if (missed === 0) return []
    if (missed > this.#flushes.length) return this.turns.flatMap(wholeOf)
    return this.#flushes.slice(-missed).flatMap((flush) => flush.filter(({ turn }) => this.#sent.has(turn.turnId)))
  }
}

/** Includes empty texts, because they replace a longer text that a reader may have. */
function wholeOf(turn: LiveTurn): TextPiece[] {
  return [pieceOf(turn, 'turn-text', 0, turn.text), pieceOf(turn, 'turn-thinking', 0, turn.thinking)]
}

function piecesAfter(before: LiveTurn | undefined, turn: LiveTurn): TextPiece[] {
  const grown = (type: LivePiece['type'], known: string, now: string): TextPiece[] => {
    if (now === known) return []
    return [pieceOf(turn, type, now.startsWith(known) ? known.length : 0, now)]
  }
  return [
    ...grown('turn-text', before?.text ?? '', turn.text),
    ...grown('turn-thinking', before?.thinking ?? '', turn.thinking),
  ]
}

function pieceOf(turn: LiveTurn, type: LivePiece['type'], at: number, whole: string): TextPiece {
  const { text: _text, thinking: _thinking, ...ids } = turn
  return { turn, type, json: JSON.stringify({ ...ids, at, text: whole.slice(at) }) }
}
