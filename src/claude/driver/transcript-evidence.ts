import type { AgentEvidence, Recorded } from '../../base/agent/agent.ts'
import type { DeliveryRecord, Sought } from '../../base/agent/delivery-record.ts'
import type { FileTree } from '../../platform/machine/machine.ts'
import type { KeptTranscripts, ReadableTranscript } from './kept-transcripts.ts'
import { readDelivery } from './transcript.ts'
import { holdsMessage } from './transcript-chain.ts'

/** Reads in Claude Code's transcripts, and in those that Iris keeps. `treeOf`: the CLI's own directory for a team. */
export class TranscriptEvidence implements AgentEvidence {
  readonly #kept: KeptTranscripts
  readonly #treeOf: (team: string) => FileTree

  constructor(kept: KeptTranscripts, treeOf: (team: string) => FileTree) {
    this.#kept = kept
    this.#treeOf = treeOf
  }

  async delivery(conversation: Recorded, sought: Sought): Promise<DeliveryRecord> {
    const { file, problem } = await this.readable(conversation)
    const record: DeliveryRecord = file ? await readDelivery(file, sought) : { kind: 'absent' }
    const isKnown = record.kind === 'answered' || record.kind === 'unfinished'
    return problem && !isKnown ? { kind: 'unreadable', problem: problem.why } : record
  }

  async holdsMessage(conversation: Recorded, deliveries: ReadonlySet<string>): Promise<boolean> {
    const { file } = await this.readable(conversation)
    return file !== undefined && (await holdsMessage(file, deliveries))
  }

  /** The readable part of a conversation that no process has open. */
  readable({ to, sessionId }: Recorded): Promise<ReadableTranscript> {
    return this.#kept.evidence(this.#treeOf(to), sessionId)
  }
}
