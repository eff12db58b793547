import { blocks, isSystem, type Line, toolResults } from '../../base/agent/line.ts'
import type { AgentProcess } from '../../base/agent/process.ts'
import type { Log } from '../../base/lib/log.ts'
import { agentTools } from '../../base/rule/rule.ts'
import type { Ledger } from '../../platform/store/ledger.ts'
import type { Turn } from '../turn/turn.ts'

/** Tools whose work may continue after they return, and whose result is reported later. */
const reportingTools = new Set([...agentTools, 'Workflow', 'Monitor'])

export function mayReportLater(toolName: string): boolean {
  return reportingTools.has(toolName)
}

/**
 * Keeps the ledger's open agents up to date with the lines of one delivery. The fence opens the agents of known tools.
 * An agent whose work is done when its tool returns is closed at once. All others are closed with the turn.
 */
export class OpenAgentsOfDelivery {
  readonly #turn: Turn
  readonly #process: Pick<AgentProcess, 'answeringTasks'>
  readonly #ledger: Ledger
  readonly #log: Log
  readonly #open = new Set<string>()

  constructor(turn: Turn, process: Pick<AgentProcess, 'answeringTasks'>, ledger: Ledger, log: Log) {
    this.#turn = turn
    this.#process = process
    this.#ledger = ledger
    this.#log = log
  }

  take(line: Line, now: number): void {
    if (line.type === 'assistant') this.#takeToolUses(line)
    else if (line.type === 'user') this.#takeResults(line)
    else if (isSystem(line, 'task_started')) this.#takeStarts(now)
  }

  #takeToolUses(line: Line): void {
    for (const { type, id, name } of blocks(line))
      if (type === 'tool_use' && mayReportLater(String(name))) this.#open.add(String(id))
  }

  #takeResults(line: Line): void {
    for (const { toolUseId } of toolResults(line)) {
      if (!this.#open.has(toolUseId) || this.#isInBackground(toolUseId)) continue
      this.#open.delete(toolUseId)
      this.#commit(() => this.#ledger.openAgents.close(this.#turn.id, toolUseId))
    }
  }

  /** Opens agents whose tools the fence did not recognize as agent tools. */
  #takeStarts(openedAt: number): void {
    for (const { toolUseId, description } of this.#process.answeringTasks) {
      if (toolUseId === '' || this.#open.has(toolUseId)) continue
      this.#open.add(toolUseId)
      const { id: turn, delivery = turn } = this.#turn
      this.#commit(() => this.#ledger.openAgents.open({ turn, toolUseId, delivery, description, openedAt }))
    }
  }

  #isInBackground(toolUseId: string): boolean {
    return this.#process.answeringTasks.some((task) => task.toolUseId === toolUseId)
  }

  /**
   * Errors are only logged. A superfluous row costs one look into a transcript after a crash, but an exception would
   * cost the turn.
   */
  #commit(change: () => void): void {
    try {
      change()
    } catch (error) {
      this.#log.warn(`an open agent could not be noted: ${String(error)}`, { turnId: this.#turn.id })
    }
  }
}
