import { blocks, type Line } from '../../base/agent/line.ts'
import { isRecord } from '../../base/lib/is-record.ts'

/** The input fields that name a file. The files that a command reads are not known. */
const reading: Readonly<Record<string, string>> = { Read: 'file_path', Grep: 'path' }
const writing: Readonly<Record<string, string>> = {
  Edit: 'file_path',
  MultiEdit: 'file_path',
  Write: 'file_path',
  NotebookEdit: 'notebook_path',
}
const maxPath = 4096

/**
 * The path, as the model wrote it, of the file that a tool reads, searches or writes. Undefined if the input names
 * none.
 */
export function fileUsed(toolName: unknown, input: unknown): string | undefined {
  const field = reading[String(toolName)] ?? writing[String(toolName)]
  const path = field !== undefined && isRecord(input) ? input[field] : undefined
  return typeof path === 'string' && path !== '' && path.length <= maxPath ? path : undefined
}

export function isWriting(toolName: string): boolean {
  return Object.hasOwn(writing, toolName)
}

/** The paths in the tool uses of a line. */
export function filesUsed(line: Line): readonly string[] {
  if (line.type !== 'assistant') return []
  return blocks(line).flatMap(({ type, name, input }) => {
    const path = type === 'tool_use' ? fileUsed(name, input) : undefined
    return path === undefined ? [] : [path]
  })
}

/** How many words of one command to read. */
const maxWords = 50
/** How many lines of one output to read. */
const maxLines = 2000
const word = /"([^"\\$`]+)"|'([^']+)'|([^\s"'|;&<>()`$*?[\]{}\\!#~=]+)/g
const lineOfFile = /^([^:\n]{1,4096}):/

/**
 * The words of a command, and the beginnings of lines like `src/api.ts:12: …`, which `grep`, a compiler or a search
 * prints. They may name files, because Claude Code searches with commands. Most of them are not files; only the project
 * itself shows which are.
 */
export function filesNamed(line: Line): readonly string[] {
  if (line.type === 'user') return namedByOutput(line['tool_use_result'])
  if (line.type !== 'assistant') return []
  return blocks(line).flatMap(({ type, name, input }) => (type === 'tool_use' ? wordsOfCommand(name, input) : []))
}

/** The words of a command that may be files. Empty for tools that run no command. */
export function wordsOfCommand(toolName: unknown, input: unknown): readonly string[] {
  const command = toolName === 'Bash' && isRecord(input) ? input['command'] : undefined
  return typeof command === 'string' ? wordsOf(command.slice(0, maxPath)) : []
}

function wordsOf(command: string): readonly string[] {
  const words = [...command.matchAll(word)].map(([, ...quoted]) => quoted.find((part) => part !== undefined)!)
  return words.filter((each) => !each.startsWith('-')).slice(0, maxWords)
}

/**
 * Reads `stdout` of a command, and `filenames` and `content` of the search tool. The output of the tool that only lists
 * names has no `mode`, and is not read.
 */
function namedByOutput(result: unknown): readonly string[] {
  if (!isRecord(result)) return []
  const { stdout, mode, filenames, content } = result
  const found = mode !== undefined && Array.isArray(filenames) ? filenames.slice(0, maxLines) : []
  const output = typeof stdout === 'string' ? stdout : mode !== undefined && typeof content === 'string' ? content : ''
  const lines = output.split('\n', maxLines).map((each) => lineOfFile.exec(each)?.[1])
  return [...new Set([...found, ...lines])].filter((each) => typeof each === 'string' && each !== '')
}
