import type { ByteSource } from '../../base/lib/byte-source.ts'
import { fileLines } from '../../base/lib/file-lines.ts'
import { isRecord } from '../../base/lib/is-record.ts'
import { blocks, parseLine } from './line.ts'

/**
 * The commands of these tool uses in a transcript, by tool use, without those whose end the model knows. It learns of it in a line
 * of its own, in the middle of a turn, or in an attachment. `lastEndAt`, milliseconds since the epoch: only a process that was being
 * ended reports a killed command later than that, and nobody hears it.
 */
export async function commandsWithoutReport(
  file: Pick<ByteSource, 'read'>,
  toolUseIds: ReadonlySet<string>,
  lastEndAt: number,
): Promise<ReadonlyMap<string, string>> {
  const commands = new Map<string, string>()
  for await (const line of fileLines(file)) {
    // It still waits, and the model does not have it yet.
    if (line.includes('"type":"queue-operation"')) continue
    if (line.includes('<task-notification>') && !reportedAtEnd(line, lastEndAt))
      for (const [, id = ''] of line.matchAll(/<tool-use-id>([^<]+)<\/tool-use-id>/g)) commands.delete(id)
    else if (line.includes('"tool_use"')) for (const [id, command] of commandsIn(line)) commands.set(id, command)
  }
  for (const id of commands.keys()) if (!toolUseIds.has(id)) commands.delete(id)
  return commands
}

function reportedAtEnd(text: string, lastEndAt: number): boolean {
  return text.includes('<status>killed</status>') && Date.parse(String(parseLine(text)?.['timestamp'])) > lastEndAt
}

function commandsIn(text: string): [id: string, command: string][] {
  const line = parseLine(text)
  if (line?.type !== 'assistant') return []
  return blocks(line).flatMap(({ type, id, input }): [string, string][] => {
    const command = isRecord(input) ? input['command'] : undefined
    return type === 'tool_use' && typeof id === 'string' && typeof command === 'string' ? [[id, command]] : []
  })
}
