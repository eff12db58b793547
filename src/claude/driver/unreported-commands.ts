import { blocks, type Line, parseLine, textOf } from '../../base/agent/line.ts'
import type { ByteSource } from '../../base/lib/byte-source.ts'
import { fileLines } from '../../base/lib/file-lines.ts'
import { isRecord } from '../../base/lib/is-record.ts'
import { joinedTexts } from './answer.ts'

/** A command whose end no turn has reported. */
export interface UnreportedCommand {
  readonly command: string
  /**
   * What the agent had said about the command's end before its process ended; undefined if it did not know of the end.
   */
  readonly said: string | undefined
}

/**
 * The commands of these tool uses in a transcript, by tool use. Leaves out a command if the model learned of its end in
 * a turn that was completed. The model learns of the end from a separate line, which may be in the middle of a turn, or
 * from an attachment. `lastEndAt`, milliseconds since the epoch: a report of a killed command after that time comes
 * from a process that was being ended. Nobody receives such a report, so it does not count.
 */
export async function commandsWithoutReport(
  file: Pick<ByteSource, 'read'>,
  toolUses: ReadonlySet<string>,
  lastEndAt: number,
): Promise<ReadonlyMap<string, UnreportedCommand>> {
  const commands = new Map<string, string>()
  const announced = new AnnouncedCommands()
  for await (const line of fileLines(file)) {
    // The report is still queued, and the model does not have it yet.
    if (line.includes('"type":"queue-operation"')) continue
    if (line.includes('<task-notification>') && !reportedAtEnd(line, lastEndAt))
      for (const [, id = ''] of line.matchAll(/<tool-use-id>([^<]+)<\/tool-use-id>/g)) {
        announced.add(id, commands.get(id))
        commands.delete(id)
      }
    else if (line.includes('"tool_use"')) for (const [id, command] of commandsIn(line)) commands.set(id, command)
    announced.take(line)
  }
  const unreported = new Map<string, UnreportedCommand>(announced.left)
  for (const [id, command] of commands) unreported.set(id, { command, said: undefined })
  for (const id of unreported.keys()) if (!toolUses.has(id)) unreported.delete(id)
  return unreported
}

/** Commands whose end the model knows, kept until the turn in which it learned of the end is over. */
class AnnouncedCommands {
  readonly #commands = new Map<string, string>()
  #texts: string[] = []

  get left(): [id: string, command: UnreportedCommand][] {
    const said = joinedTexts(this.#texts)
    return [...this.#commands].map(([id, command]) => [id, { command, said }])
  }

  add(id: string, command: string | undefined): void {
    if (command !== undefined) this.#commands.set(id, command)
  }

  take(text: string): void {
    if (this.#commands.size === 0 || !text.includes('"type":"assistant"')) return
    const line = parseLine(text)
    if (line?.type !== 'assistant' || line['isSidechain'] === true) return
    this.#texts.push(textOf(line))
    this.#hasEnded(line)
  }

  #hasEnded({ message }: Line): void {
    const reason = isRecord(message) ? message['stop_reason'] : undefined
    if (typeof reason !== 'string' || reason === 'tool_use') return
    this.#commands.clear()
    this.#texts = []
  }
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
