import { clsx } from 'clsx'
import type { SpanKind } from '../../../../src/base/protocol/operations/trace.ts'

/** Each kind has a word, a colour and a pattern of its own. */
export const kinds: Readonly<Record<SpanKind, { readonly word: string; readonly look: string }>> = {
  queue: { word: 'in the queue', look: 'border border-dashed border-muted' },
  process: {
    word: 'for a process',
    look: 'bg-muted bg-[repeating-linear-gradient(45deg,var(--panel)_0_2px,transparent_2px_6px)]',
  },
  model: { word: 'model', look: 'bg-accent' },
  tool: {
    word: 'own tools',
    look: 'bg-good bg-[repeating-linear-gradient(90deg,var(--panel)_0_1px,transparent_1px_5px)]',
  },
  team: { word: 'for other teams', look: 'border border-busy bg-busy/25' },
  person: {
    word: 'for a person',
    look: 'bg-warn bg-[repeating-linear-gradient(-45deg,var(--panel)_0_2px,transparent_2px_8px)]',
  },
  interrupted: { word: 'cut off, unknown', look: 'border-2 border-dotted border-bad' },
}

export const kindNames = Object.keys(kinds) as readonly SpanKind[]

export function Swatch({ kind }: { readonly kind: SpanKind }) {
  return <span aria-hidden="true" className={clsx('inline-block h-3 w-6 shrink-0 rounded-xs', kinds[kind].look)} />
}
