import type { Needs } from '../../../../src/base/protocol/operations/inbox.ts'

export function needsSum({ waiting, failed, openElsewhere }: Needs): number {
  return waiting + failed + openElsewhere
}

/** `1 conversation waits for you, 2 have failed.`; empty: nothing needs anybody. */
export function needsWords({ waiting, failed, openElsewhere }: Needs): string {
  const parts = [
    [waiting, 'waits for you', 'wait for you'],
    [failed, 'has failed', 'have failed'],
    [openElsewhere, 'is open elsewhere while messages wait', 'are open elsewhere while messages wait'],
  ] as const
  const said = parts.filter(([count]) => count > 0).map(([count, one, more]) => `${count} ${count === 1 ? one : more}`)
  if (said.length === 0) return ''
  const [first = '', ...others] = said
  const [count, ...words] = first.split(' ')
  return `${count} ${count === '1' ? 'conversation' : 'conversations'} ${[words.join(' '), ...others].join(', ')}.`
}
