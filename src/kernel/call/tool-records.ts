import type { RanTool, RefusedTool, ToolStart } from '../../base/agent/control-handler.ts'
import type { Clock } from '../../base/lib/clock.ts'
import { sha256 } from '../../base/lib/sha256.ts'
import type { FenceParts } from '../recover/fence.ts'
import { type ChangedInput, ToolInputs } from '../recover/tool-inputs.ts'
import type { Seams } from '../session/seams.ts'
import type { Session } from '../session/session.ts'

export interface RecordParts {
  readonly clock: Clock
  readonly seams: Pick<Seams, 'audit' | 'rules'>
}

type Parts = RecordParts & Pick<FenceParts, 'ledger' | 'secrets' | 'log'>

/** Records, for the tools of one process, the input with which they ran and refusals by Iris or by Claude Code. */
export class ToolRecords {
  readonly #session: Session
  readonly #parts: Parts
  readonly #inputs: ToolInputs

  constructor(session: Session, parts: Parts) {
    this.#session = session
    this.#parts = parts
    this.#inputs = new ToolInputs(session, parts)
  }

  /** Call this when Iris lets the tool run. Claude Code or a person may still change its input. */
  mayRun(start: ToolStart): void {
    this.#inputs.mayRun(start)
  }

  /** Call this when Claude Code asks about this input. If this throws an error of the store, the tool must not run. */
  asksAbout({ toolUseId, input }: RanTool): void {
    const changed = this.#inputs.runsWith(toolUseId, input)
    if (changed) this.#audit(changed)
  }

  /**
   * Call this when a person's answer allows this input, which is also in the question and its audit entry. Throws like
   * `asksAbout`.
   */
  isAllowed(toolUseId: string, input: unknown): void {
    this.#inputs.runsWith(toolUseId, input)
  }

  isDenied(toolUseId: string): void {
    this.#inputs.ends(toolUseId)
  }

  ran(tool: RanTool): void {
    try {
      this.asksAbout(tool)
    } catch (error) {
      this.#failed('the input with which a tool ran', tool.toolName, error)
    }
    this.#inputs.ends(tool.toolUseId)
  }

  /**
   * If Claude Code gave no reason, a tool counts as refused only if a rule denies it. Otherwise it counts as failed.
   */
  refusedByClaude({ toolName, toolUseId, input, why }: RefusedTool): void {
    const known = { toolName, toolUseId, input: input ?? this.#inputs.inputOf(toolUseId) }
    try {
      const reason = why ?? this.#parts.seams.rules.denial(this.#session, known)
      if (reason !== undefined) this.refused(known, reason)
    } catch (error) {
      this.#failed('a refusal by Claude Code', toolName, error)
    }
    this.#inputs.ends(toolUseId)
  }

  refused({ toolName, toolUseId, input }: RanTool, why: string): void {
    const { clock, seams } = this.#parts
    const { to, from, sessionId } = this.#session
    try {
      seams.audit.record({
        at: clock.now(),
        actor: `agent:${to}`,
        action: 'tool.refused',
        subject: sessionId,
        decision: 'deny',
        inputHash: sha256(JSON.stringify(input ?? null)),
        detail: { toolName, turnId: this.#turnOf(toolUseId), from, why },
      })
    } catch (error) {
      this.#failed('the refusal of a tool', toolName, error)
    }
  }

  /**
   * Claude Code enforces a deny rule for the new input only if it understands the rule, so the entry names a rule that
   * denies this input.
   */
  #audit({ start, asked, runs }: ChangedInput): void {
    const { clock, seams } = this.#parts
    const { toolName, toolUseId, input } = start
    const { to, from, sessionId } = this.#session
    const denied = this.#parts.seams.rules.refusal(this.#session, start)
    seams.audit.record({
      at: clock.now(),
      actor: `agent:${to}`,
      action: 'tool.changed',
      subject: sessionId,
      inputHash: sha256(JSON.stringify(input ?? null)),
      detail: { toolName, turnId: this.#turnOf(toolUseId), from, asked, runs, ...(denied && { why: denied }) },
    })
  }

  #turnOf(toolUseId: string): string | null {
    return this.#session.turnOf(toolUseId)?.id ?? null
  }

  #failed(what: string, tool: string, error: unknown): void {
    this.#parts.log.error(`${what} could not be recorded: ${String(error)}`, { team: this.#session.to, tool })
  }
}
