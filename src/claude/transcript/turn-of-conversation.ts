import { echoedUuid, isUnsolicited, type Line } from '../../base/agent/line.ts'
import { ownFile } from '../../base/lib/byte-source.ts'
import { fileLines, lineStart } from '../../base/lib/file-lines.ts'
import { placeOf } from '../driver/transcript.ts'
import { messageOf } from './read-conversation.ts'

/**
 * The lines of one turn in a `conversation.json`, from the echo of its first delivery on. `deliveries`: the uuids of
 * the turn's deliveries, in order. `share`: its approximate position in the file, from 0 to 1. Yields nothing if the
 * file does not have the turn; rejects if there is no file.
 */
export async function* turnOfConversation(
  path: string,
  deliveries: readonly string[],
  share = 1,
): AsyncGenerator<Line> {
  const file = await ownFile(path)
  const place = await placeOf(file, deliveries[0]!, Math.floor(file.size * share))
  if (place === undefined) return
  const missing = new Set<string>(deliveries)
  let isOurs = false
  for await (const text of fileLines(file, await lineStart(file, place))) {
    const line = messageOf(text)
    if (line === undefined) continue
    const echoed = echoedUuid(line)
    if (echoed !== undefined) {
      isOurs = missing.delete(echoed)
      if (!isOurs && missing.size === 0) return
    }
    if (isOurs) yield line
    if (line.type === 'result' && !isUnsolicited(line)) isOurs = false
  }
}
