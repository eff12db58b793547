import type { ContextShare } from '../../base/agent/process.ts'
import { isRecord } from '../../base/lib/is-record.ts'
import { toShare } from './context-gauge.ts'
import type { ControlChannel } from './control-channel.ts'
import type { SetupReport } from './setup-report.ts'

/** Requests to a process over its control channel. */
export class Inquiries {
  readonly #control: Pick<ControlChannel, 'request' | 'setup'>

  constructor(control: Pick<ControlChannel, 'request' | 'setup'>) {
    this.#control = control
  }

  /** The project files that the process ignores, and the servers that it could not start. */
  get setup$(): SetupReport['reports$'] {
    return this.#control.setup.reports$
  }

  /** The MCP servers that its agent does not have, with each message. */
  get missing$(): SetupReport['missing$'] {
    return this.#control.setup.missing$
  }

  /** How full the conversation is by the CLI's own count; undefined if it does not answer in time. */
  async contextUsage(timeoutMs: number): Promise<ContextShare | undefined> {
    return this.#control.request('get_context_usage', {}, timeoutMs).then(toShare, () => undefined)
  }

  /** The CLI's list of the MCP servers that its command line and files configure. Rejects as control requests do. */
  async mcpServers(timeoutMs: number): Promise<readonly Readonly<Record<string, unknown>>[]> {
    const { mcpServers } = await this.#control.request('mcp_status', {}, timeoutMs)
    return Array.isArray(mcpServers) ? mcpServers.filter(isRecord) : []
  }

  /** Ends background tasks: an interrupt stops agents, but not a Monitor. */
  stopTasks(tasks: readonly { readonly id: string }[], timeoutMs: number): void {
    for (const { id } of tasks) this.#control.request('stop_task', { task_id: id }, timeoutMs).catch(() => {})
  }
}
