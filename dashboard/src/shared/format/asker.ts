import { external, mainThread, type Pair } from '../../../../src/base/protocol/pair.ts'
import { texts } from './texts.ts'

/** Who asks, as people read it: the browser's own person is `you`. */
export function askerName(asker: string): string {
  return asker === external ? texts.you : asker
}

/** Who asks whom, as a sentence. */
export function asksText(from: string, to: string): string {
  return from === external ? texts.youAsk(to) : texts.asks(from, to)
}

/** A conversation by its signs: `frontend → backend #review`. */
export function pairTitle({ from, to, thread }: Pair): string {
  return `${askerName(from)} → ${to}${thread === mainThread ? '' : ` #${thread}`}`
}
