import { external, partyName } from '../../../../src/base/protocol/party.ts'

/** Who asks whom, as a sentence: the browser's own person is `you`. */
export function asksText(from: string, to: string): string {
  return `${partyName(from)} ${from === external ? 'ask' : 'asks'} ${to}`
}
