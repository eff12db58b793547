import type { Output } from '../../../adapters/client/tool-call.ts'
import { momentText } from '../../../app/cli/moment.ts'
import { shortId } from '../../../base/lib/short-id.ts'
import { shownPair } from '../../../base/protocol/pair.ts'

export function searchLines({ hits, nextCursor, isIndexing }: Output<'search_messages'>): readonly string[] {
  const later = isIndexing ? ['Older texts are still being indexed: some may be missing.'] : []
  if (hits.length === 0) return ['Nothing was found.', ...later]
  const found = hits.flatMap((hit) => [
    `${shortId(hit.turnId)}  ${momentText(hit.at)}  ${shownPair(hit)}  ${hit.where}`,
    `  ${hit.snippet.map(({ text, isMatch }) => (isMatch ? `[${text}]` : text)).join('')}`,
  ])
  return [...found, ...(nextCursor === undefined ? [] : [`There may be more: --cursor ${nextCursor}`]), ...later]
}
