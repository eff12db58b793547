import { isRecord } from '../../base/lib/is-record.ts'
import { blocks, type Line } from '../driver/line.ts'

/** The input fields that name a file. What a command reads is not known. */
const fields: Readonly<Record<string, string>> = {
  Read: 'file_path',
  Edit: 'file_path',
  MultiEdit: 'file_path',
  Write: 'file_path',
  NotebookEdit: 'notebook_path',
  Grep: 'path',
}

/** The paths, as the model wrote them, that the tool uses of a line read, search or write. */
export function filesUsed(line: Line): readonly string[] {
  if (line.type !== 'assistant') return []
  return blocks(line).flatMap(({ type, name, input }) => {
    const field = type === 'tool_use' && typeof name === 'string' ? fields[name] : undefined
    const path = field !== undefined && isRecord(input) ? input[field] : undefined
    return typeof path === 'string' && path !== '' && path.length <= 4096 ? [path] : []
  })
}
