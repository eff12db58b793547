import type { DeliveryRecord } from '../../claude/driver/transcript.ts'
import type { DeliveryRow } from '../../platform/store/ledger.ts'
import type { NewToolStart } from '../../platform/store/tool-starts.ts'

/** What is known of a turn whose process has gone. */
export interface Evidence {
  /** In the order they were committed; at least one. */
  readonly deliveries: readonly DeliveryRow[]
  readonly toolStarts: readonly Pick<NewToolStart, 'toolUseId' | 'delivery' | 'name'>[]
  /** What the transcript says of the last delivery. */
  readonly last: DeliveryRecord
}

/** How an interrupted delivery is taken up: `tools` had started and may have had their effect. */
export interface Unfinished {
  readonly tools: readonly string[]
  /** Tool uses that went on in the background and had not reported. */
  readonly agents: readonly string[]
}

export type Judgement =
  /** It had been answered before the end. */
  | { readonly kind: 'answered'; readonly answer: string }
  /** It never arrived and nothing was started: the same once more, under the same uuid. */
  | { readonly kind: 'again'; readonly uuid: string; readonly continuing: Unfinished | undefined }
  /** Nobody can know what became of it: `tools` are all that it started. */
  | { readonly kind: 'unreadable'; readonly problem: string; readonly tools: readonly string[] }
  /** It was begun. */
  | { readonly kind: 'unfinished'; readonly from: Unfinished }

/**
 * Whether a message may be sent again: only when neither the transcript knows it nor a tool was started for it. The
 * transcript alone proves nothing, it is flushed late. Pure.
 */
export function classifyInterruption({ deliveries, toolStarts, last }: Evidence): Judgement {
  const delivery = deliveries.at(-1)
  if (delivery === undefined) throw new Error('a turn without a delivery needs no judgement')
  if (last.kind === 'answered') return { kind: 'answered', answer: last.answer }
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
