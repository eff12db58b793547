import { clsx } from 'clsx'
import type { SpanKind } from '../../../../src/features/traces/contract.ts'

/** Each kind has a colour and a pattern of its own. */
export const looks: Readonly<Record<SpanKind, string>> = {
  queue: 'border border-dashed border-muted',
  process: 'bg-muted bg-[repeating-linear-gradient(45deg,var(--panel)_0_2px,transparent_2px_6px)]',
  model: 'bg-accent',
  tool: 'bg-good bg-[repeating-linear-gradient(90deg,var(--panel)_0_1px,transparent_1px_5px)]',
  team: 'border border-busy bg-busy/25',
  person: 'bg-warn bg-[repeating-linear-gradient(-45deg,var(--panel)_0_2px,transparent_2px_8px)]',
  interrupted: 'border-2 border-dotted border-bad',
}

export const kindNames = Object.keys(looks) as readonly SpanKind[]

export function Swatch({ kind }: { readonly kind: SpanKind }) {
  return <span aria-hidden="true" className={clsx('inline-block h-3 w-6 shrink-0 rounded-xs', looks[kind])} />
}
