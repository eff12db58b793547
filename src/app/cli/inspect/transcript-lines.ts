import type { Output } from '../../../adapters/client/tool-call.ts'

type Transcript = Output<'turn_transcript'>

/** A turn in lines: `>` message, `<` answer, `~` thinking, `$` tool, `=` or `!` its result or error, `#` note. */
export function transcriptLines({ message, attachments = [], parts, status, source }: Transcript): readonly string[] {
  const files = attachments.map(({ name, mediaType, bytes }) => `  (with ${name}: ${mediaType}, ${bytes} bytes)`)
  return [...block('>', message), ...files, ...parts.flatMap(partLines), `  (${status}; known from: ${source})`]
}

function partLines(part: Transcript['parts'][number]): readonly string[] {
  switch (part.kind) {
    case 'text':
      return block('<', part.text)
    case 'thinking':
      return block('~', part.text)
    case 'tool': {
      const result = part.result === undefined ? [] : block(part.isError === true ? '!' : '=', part.result)
      return [...block('$', `${part.name} ${part.input}`), ...result]
    }
    case 'compaction':
      return ['  (the conversation was compacted)']
    case 'continued':
      return ['  (its process ended; another one continued the work)']
    case 'note':
      return block('#', part.text)
  }
}

function block(sign: string, text: string): readonly string[] {
  return text
    .trimEnd()
    .split('\n')
    .map((line) => `  ${sign} ${line}`)
}
