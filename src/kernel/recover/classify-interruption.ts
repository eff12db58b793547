import type { DeliveryRecord } from '../../base/agent/delivery-record.ts'
import type { DeliveryRow } from '../../platform/store/ledger.ts'
import type { NewToolStart } from '../../platform/store/tool-starts.ts'

/** The known facts about a turn whose process has ended. */
export interface Evidence {
  /** At least one delivery, in the order of their commits. */
  readonly deliveries: readonly DeliveryRow[]
  readonly toolStarts: readonly Pick<NewToolStart, 'toolUseId' | 'delivery' | 'name'>[]
  /** The transcript's record of the last delivery. */
  readonly last: DeliveryRecord
}

/** What an interrupted delivery left unfinished. `tools` had started and may have taken effect. */
export interface Unfinished {
  readonly tools: readonly string[]
  /** Ids of tool uses that ran in the background and had not reported. */
  readonly agents: readonly string[]
}

export type Judgement =
  /** The model had answered before the process ended. */
  | Extract<DeliveryRecord, { kind: 'answered' }>
  /** The delivery never arrived and started no tool, so it is sent again under the same uuid. */
  | { readonly kind: 'again'; readonly uuid: string; readonly continuing: Unfinished | undefined }
  /** The transcript cannot be read, so the result is unknown. `tools`: all tools that the turn started. */
  | { readonly kind: 'unreadable'; readonly problem: string; readonly tools: readonly string[] }
  /** The model had begun to work on the delivery. */
  | { readonly kind: 'unfinished'; readonly from: Unfinished }

/**
 * Decides how an interrupted turn continues; `recovery.ts` carries that out. A message is sent again only if the
 * transcript does not contain it and the ledger has no tool start for it. The transcript alone proves nothing, because
 * Claude Code flushes it late. This is a pure function.
 */
export function classifyInterruption({ deliveries, toolStarts, last }: Evidence): Judgement {
  const delivery = deliveries.at(-1)
  if (delivery === undefined) throw new Error('a turn without a delivery needs no judgement')
  if (last.kind === 'answered') return last
  if (last.kind === 'unfinished') {
    const unknown = toolStarts.filter(
      ({ delivery: of, toolUseId }) => of === delivery.uuid && !last.knownTools.includes(toolUseId),
    )
    const tools = [...new Set([...last.openTools, ...unknown.map(({ name }) => name)])]
    return { kind: 'unfinished', from: { tools, agents: last.unreported } }
  }
  const startedBy = (uuid: string | undefined): string[] => {
    const names = toolStarts.filter((start) => start.delivery === uuid).map(({ name }) => name)
    return [...new Set(names)]
  }
  if (last.kind === 'unreadable') {
    return { kind: 'unreadable', problem: last.problem, tools: [...new Set(toolStarts.map(({ name }) => name))] }
  }
  const tools = startedBy(delivery.uuid)
  if (tools.length > 0) return { kind: 'unfinished', from: { tools, agents: [] } }
  const earlier = { tools: startedBy(deliveries.at(-2)?.uuid), agents: [] }
  return { kind: 'again', uuid: delivery.uuid, continuing: delivery.why === 'continue' ? earlier : undefined }
}
