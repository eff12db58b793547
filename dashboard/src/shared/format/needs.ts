import type { Needs } from '../../../../src/base/protocol/inbox-needs.ts'
import { texts } from './texts.ts'

export function needsSum({ waiting, failed, openElsewhere, expired }: Needs): number {
  return waiting + failed + openElsewhere + expired
}

/** `1 conversation waits for you, 2 have failed.`; empty if nothing needs anybody. */
export function needsWords({ waiting, failed, openElsewhere, expired }: Needs): string {
  const parts = [
    [waiting, texts.needs.waiting],
    [expired, texts.needs.expired],
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
