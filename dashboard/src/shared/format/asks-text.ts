import { askerName, external } from '../../../../src/base/protocol/pair.ts'

/** Who asks whom, as a sentence: the browser's own person is `you`. */
export function asksText(from: string, to: string): string {
  return `${askerName(from)} ${from === external ? 'ask' : 'asks'} ${to}`
}
