import type { Needs } from '../../../../src/views/inbox/contract.ts'
import { texts } from './texts.ts'

export function needsSum({ waiting, failed, openElsewhere }: Needs): number {
  return waiting + failed + openElsewhere
}

/** `1 conversation waits for you, 2 have failed.`; empty: nothing needs anybody. */
export function needsWords({ waiting, failed, openElsewhere }: Needs): string {
  const parts = [
    [waiting, texts.needs.waiting],
    [failed, texts.needs.failed],
    [openElsewhere, texts.needs.openElsewhere],
  ] as const
  const [first, ...others] = parts.filter(([count]) => count > 0)
  if (first === undefined) return ''
  const [count, words] = first
  return `${[
    `${texts.conversations(count)} ${words(count)}`,
    ...others.map(([more, said]) => `${more} ${said(more)}`),
  ].join(', ')}.`
}
