import type { Clock } from '../../base/lib/clock.ts'
import { sha256 } from '../../base/lib/sha256.ts'
import { IrisError } from '../../base/protocol/error.ts'
import type { IrisEvent } from '../../base/protocol/event.ts'
import { addRule } from '../../platform/config/add-rule.ts'
import type { Config } from '../../platform/config/config.ts'
import { HostFailure } from '../../platform/hosts/host-failure.ts'
import type { FoundText, Machines } from '../../platform/machine/machine.ts'
import { MachineError } from '../../platform/machine/machine-error.ts'
import { answerLine, claudeMd, withAnswer } from './claude-md.ts'
import type { AskedTwice } from './reflection.ts'
import type { DecidedSuggestion, SuggestionRows } from './rows/suggestions.ts'

export interface SuggestionsParts {
  readonly rows: SuggestionRows
  readonly config: () => Config
  readonly machines: Pick<Machines, 'of'>
  readonly clock: Pick<Clock, 'now'>
  readonly publish: (event: IrisEvent) => void
}

/** A suggestion that can be decided: a line for a team's CLAUDE.md, or a rule for its tools. */
export type Suggested = Pick<DecidedSuggestion, 'team' | 'kind' | 'subject'>

/** How CLAUDE.md would change; `diff` is undefined if it cannot be changed, and `problem` says why. */
export interface Proposed {
  readonly diff: string | undefined
  readonly problem: string | undefined
}

const maxBytes = 256 * 1024
const maxRemembered = 500

/** Suggestions to a person, and what became of them. Nothing changes without a person's decision. */
export class Suggestions {
  readonly #parts: SuggestionsParts
  /** The suggestions that were shown last, by id. Only these can be decided. */
  readonly #shown = new Map<string, Suggested & { readonly line?: string }>()

  constructor(parts: SuggestionsParts) {
    this.#parts = parts
  }

  decided(): DecidedSuggestion[] {
    return this.#parts.rows.all()
  }

  /**
   * Remembers a suggestion as shown, with its line or rule. Returns its id, which is always the same for the same
   * suggestion.
   */
  show(suggested: Suggested, line?: string): string {
    const id = sha256(JSON.stringify([suggested.kind, suggested.team, suggested.subject])).slice(0, 16)
    this.#shown.delete(id)
    this.#shown.set(id, { ...suggested, ...(line !== undefined && { line }) })
    for (const oldest of this.#shown.keys()) {
      if (this.#shown.size <= maxRemembered) break
      this.#shown.delete(oldest)
    }
    return id
  }

  /** How each of these questions, with its answer, would change the team's CLAUDE.md. */
  async propose(team: string, asked: readonly AskedTwice[]): Promise<(Proposed & { readonly id: string })[]> {
    const file = await this.#read(team)
    return asked.map(({ message, answer }) => {
      const date = new Date(answer.answeredAt).toISOString().slice(0, 10)
      const line = answerLine(message, answer.answer, date)
      const id = this.show({ team, kind: 'claude-md', subject: message }, line)
      if (file.kind === 'unusable') return { id, diff: undefined, problem: file.problem }
      return { id, diff: withAnswer(file.kind === 'text' ? file.text : undefined, line).diff, problem: undefined }
    })
  }

  refuse(id: string): void {
    this.#decide(id, 'refused')
  }

  /** Applies what the person has seen in `diff`: adds the rule to config.yaml, or the line to the team's CLAUDE.md. */
  async apply(id: string, diff: string): Promise<void> {
    const { team, kind, line = '' } = this.#known(id)
    if (kind === 'claude-md') await this.#write(team, line, diff)
    else if (diff !== line) throw refused('This rule differs from the one that was suggested.', 'Look at it again.')
    else await addRule({ file: this.#parts.config().file, team, list: 'allow', rule: line })
    this.#decide(id, 'applied')
  }

  /** Writes with the rights of the team's agents. If the file has changed since, nothing is written. */
  async #write(team: string, line: string, diff: string): Promise<void> {
    const file = await this.#read(team)
    if (file.kind === 'unusable')
      throw refused(`${claudeMd} of ${team} is not used: ${file.problem}.`, 'Edit it yourself.')
    const was = file.kind === 'text' ? file.text : undefined
    const change = withAnswer(was, line)
    const hasChanged = new IrisError(
      'invalid_input',
      `${claudeMd} of ${team} has changed since the suggestion was shown. Nothing was written.`,
      'Read the new diff (reflect), then decide again.',
    )
    if (change.diff !== diff) throw hasChanged
    const done = await this.#parts.machines.of(team).project.writeText(claudeMd, change.text, was)
    if (done.kind === 'changed') throw hasChanged
    if (done.kind === 'unusable') throw refused(`${claudeMd} of ${team}: ${done.problem}.`, 'Edit it yourself.')
  }

  #decide(id: string, decision: DecidedSuggestion['decision']): void {
    const { rows, clock, publish } = this.#parts
    const { team, kind, subject } = this.#known(id)
    rows.add({ id, team, kind, subject, decision, decidedAt: clock.now() })
    this.#shown.delete(id)
    publish({ type: 'suggestion-decided', suggestionId: id, team, kind, decision })
  }

  #known(id: string): Suggested & { readonly line?: string } {
    const known = this.#shown.get(id)
    if (known !== undefined) return known
    throw new IrisError('not_found', `There is no open suggestion ${id}.`, '"iris insight reflect" lists them.')
  }

  async #read(team: string): Promise<FoundText> {
    try {
      return await this.#parts.machines.of(team).project.readText(claudeMd, { mostBytes: maxBytes })
    } catch (error) {
      const isExpected = [MachineError, HostFailure, IrisError].some((kind) => error instanceof kind)
      if (!isExpected) throw error
      return { kind: 'unusable', problem: (error as Error).message }
    }
  }
}

function refused(what: string, remedy: string): IrisError {
  return new IrisError('invalid_input', what, remedy)
}
