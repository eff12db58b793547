import { isRecord } from '../../base/lib/is-record.ts'
import { blocks, type Line } from '../driver/line.ts'

/** The input fields that name a file. What a command reads is not known. */
const reading: Readonly<Record<string, string>> = { Read: 'file_path', Grep: 'path' }
const writing: Readonly<Record<string, string>> = {
  Edit: 'file_path',
  MultiEdit: 'file_path',
  Write: 'file_path',
  NotebookEdit: 'notebook_path',
}
const longestPath = 4096

/** The path, as the model wrote it, of the file that a tool reads, searches or writes; undefined: none that it names. */
export function fileUsed(toolName: unknown, input: unknown): string | undefined {
  const field = reading[String(toolName)] ?? writing[String(toolName)]
  const path = field !== undefined && isRecord(input) ? input[field] : undefined
  return typeof path === 'string' && path !== '' && path.length <= longestPath ? path : undefined
}

export function isWriting(toolName: string): boolean {
  return Object.hasOwn(writing, toolName)
}

/** The paths of the tool uses of a line. */
export function filesUsed(line: Line): readonly string[] {
  if (line.type !== 'assistant') return []
  return blocks(line).flatMap(({ type, name, input }) => {
    const path = type === 'tool_use' ? fileUsed(name, input) : undefined
    return path === undefined ? [] : [path]
  })
}
