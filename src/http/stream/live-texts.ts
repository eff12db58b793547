import type { LiveTurn } from '../../protocol/live-turn.ts'

/** A piece of what a turn says, made once for all readers. */
export interface TextPiece {
  readonly turn: LiveTurn
  /** `at`: where in the turn's text it belongs; 0 also says that what was there before is void. */
  readonly json: string
}

/** Who is further behind is told the whole texts. */
const mostWaves = 50

/** What is being said, as far as readers are told: in waves, each of which holds what has been said since the one before. */
export class LiveTexts {
  readonly #turns: () => readonly LiveTurn[]
  #told = new Map<string, LiveTurn>()
  readonly #waves: (readonly TextPiece[])[] = []
  #last = 0

  constructor(turns: () => readonly LiveTurn[]) {
    this.#turns = turns
  }

  /** The number of the newest wave. */
  get last(): number {
    return this.#last
  }

  /** Every turn that is being answered, with its text as all waves together tell it. */
  get told(): readonly LiveTurn[] {
    return [...this.#told.values()]
  }

  /** Looks what has been said since it last did. */
  gather(): void {
    const turns = this.#turns()
    const wave = turns.flatMap((turn) => pieceAfter(this.#told.get(turn.turnId)?.text ?? '', turn))
    this.#told = new Map(turns.map((turn) => [turn.turnId, turn]))
    if (wave.length === 0) return
    this.#last += 1
    if (this.#waves.push(wave) > mostWaves) this.#waves.shift()
  }

  /** Nobody is to be told of it any more: its end is told already. */
  drop(turnId: string): void {
    this.#told.delete(turnId)
  }

  /** What came after that wave; the whole texts where it is unknown or too long ago. */
  since(wave: number | undefined): readonly TextPiece[] {
    const missed = wave === undefined ? Number.POSITIVE_INFINITY : this.#last - wave
    if (missed === 0) return []
    if (missed > this.#waves.length) return this.told.flatMap((turn) => pieceAfter('', turn))
    return this.#waves.slice(-missed).flatMap((wave) => wave.filter(({ turn }) => this.#told.has(turn.turnId)))
  }
}

function pieceAfter(before: string, turn: LiveTurn): TextPiece[] {
  if (turn.text === before) return []
  const at = turn.text.startsWith(before) ? before.length : 0
  return [{ turn, json: JSON.stringify({ ...turn, at, text: turn.text.slice(at) }) }]
}
