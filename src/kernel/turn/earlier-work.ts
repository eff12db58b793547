import type { DeliveryReason } from '../../platform/store/ledger.ts'
import type { NewToolStart } from '../../platform/store/tool-starts.ts'

/** What a turn had done at the host that led its conversation before this one. */
export interface EarlierWork {
  /** In their order; at least one. */
  readonly deliveries: readonly { readonly uuid: string; readonly why: DeliveryReason }[]
  readonly toolStarts: readonly Omit<NewToolStart, 'turn'>[]
}
