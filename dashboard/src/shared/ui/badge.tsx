import { clsx } from 'clsx'
import type { ReactNode } from 'react'

export type Tone = 'plain' | 'good' | 'busy' | 'warn' | 'bad'

const tones: Record<Tone, string> = {
  plain: 'text-muted border-line',
  good: 'text-good border-good/50',
  busy: 'text-busy border-busy/50',
  warn: 'text-warn border-warn/50',
  bad: 'text-bad border-bad/50',
}

/** A word of state; the colour only repeats what the word says. */
export function Badge({ tone = 'plain', children }: { readonly tone?: Tone; readonly children: ReactNode }) {
  return (
    <span className={clsx('rounded-full border px-2 py-0.5 text-xs font-medium whitespace-nowrap', tones[tone])}>
      {children}
    </span>
  )
}
