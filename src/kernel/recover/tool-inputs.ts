import { isDeepStrictEqual } from 'node:util'
import type { ToolStart } from '../../base/agent/control-handler.ts'
import { sha256 } from '../../base/lib/sha256.ts'
import type { Session } from '../session/session.ts'
import { type FenceParts, inputSummary } from './fence.ts'

/** A tool that runs with a different input than the one Iris knew. */
export interface ChangedInput {
  readonly start: ToolStart
  /** Summaries of both inputs, without secrets. */
  readonly asked: string
  readonly runs: string
}

/**
 * The tools of a process that Iris has permitted, each with its latest known input. A project's hook or a person's
 * answer may change the input later; the tool's record is then updated.
 */
export class ToolInputs {
  readonly #session: Session
  readonly #parts: Pick<FenceParts, 'ledger' | 'secrets'>
  readonly #known = new Map<string, { readonly start: ToolStart; readonly turn: string | undefined }>()

  constructor(session: Session, parts: Pick<FenceParts, 'ledger' | 'secrets'>) {
    this.#session = session
    this.#parts = parts
  }

  mayRun(start: ToolStart): void {
    this.#known.set(start.toolUseId, { start, turn: this.#session.turnOf(start.toolUseId)?.id })
  }

  /**
   * Records the input. Returns undefined if Iris already knew the input, or does not know the tool. Throws the store's
   * errors.
   */
  runsWith(toolUseId: string, input: unknown): ChangedInput | undefined {
    const known = this.#known.get(toolUseId)
    if (known === undefined || isDeepStrictEqual(known.start.input, input)) return undefined
    const { turn } = known
    const start = { ...known.start, input }
    const { ledger, secrets } = this.#parts
    const [asked, runs] = [known.start.input, input].map((each) => inputSummary(each, secrets.hideInText))
    const inputHash = sha256(JSON.stringify(input ?? null))
    if (turn === undefined) ledger.reports.toolRunsWith({ toolUseId, inputShort: runs! })
    else ledger.toolStarts.runsWith({ turn, toolUseId, inputHash, inputShort: runs! })
    this.#known.set(toolUseId, { start, turn })
    return { start, asked: asked!, runs: runs! }
  }

  /** The input of a tool that has not ended. Undefined if no input is known. */
  inputOf(toolUseId: string): unknown {
    return this.#known.get(toolUseId)?.start.input
  }

  ends(toolUseId: string): void {
    this.#known.delete(toolUseId)
  }
}
