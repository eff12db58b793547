const fence = /^ {0,3}(`{3,}(?=[^`]*$)|~{3,})/
/** A line that continues the block before it, even after a blank line: a list, a quote, indented text. */
const continues = /^(?:\s|>|[*+-](?:[ \t]|$)|\d{1,9}(?:[.)]|$))/
/** A last line that may yet be a list, a heading, a rule or a fence. */
const marker = /^[ \t>]*(?:[-=*+_#`~]+|\d{1,9}[.)]?)[ \t]*$/
const row = /^ {0,3}\|/

/**
 * The blocks of a text that is still being written, each of which can be read as Markdown by itself. All but the last
 * stay as they are while the text grows. Holds back an end that would look different a moment later, such as the head
 * of a table, and closes open marks, so that nothing that was shown jumps. Pure.
 */
export function streamedBlocks(text: string): readonly string[] {
  const lines = text.split('\n')
  const starts: number[] = [0]
  let open = ''
  for (const [index, line] of lines.entries()) {
    const isNew = index > 0 && lines[index - 1]!.trim() === '' && line.trim() !== '' && !continues.test(line)
    if (open === '' && isNew) starts.push(index)
    const [, mark = ''] = fence.exec(line) ?? []
    if (open === '') open = mark
    else if (mark.startsWith(open) && line.trim() === mark) open = ''
  }
  const blocks = starts.map((start, at) => lines.slice(start, starts[at + 1]).join('\n'))
  return [...blocks.slice(0, -1), settledEnd(blocks.at(-1)!, open !== '')].filter((block) => block.trim() !== '')
}

function settledEnd(block: string, isCode: boolean): string {
  const all = block.split('\n')
  const hasEnded = all.at(-1) === ''
  const lines = hasEnded ? all.slice(0, -1) : all
  const last = lines.at(-1) ?? ''
  if (isCode) return lines.length > 1 && /^ {0,3}[`~]+$/.test(last) ? lines.slice(0, -1).join('\n') : block
  // The first row belongs to a table only once the line below it says so.
  const rows = lines.length - 1 - lines.findLastIndex((line) => !row.test(line))
  if (rows === 1 || (rows === 2 && !hasEnded)) return lines.slice(0, -rows).join('\n')
  if (!hasEnded && marker.test(last)) return lines.slice(0, -1).join('\n')
  const begin = lines.findLastIndex((line) => line.trim() === '') + 1
  return [...lines.slice(0, begin), closed(lines.slice(begin).join('\n'))].join('\n')
}

/** A paragraph with its marks closed. Of a link whose address is still being written, only the words remain. */
function closed(paragraph: string): string {
  const ticks = paragraph.split('`').length - 1
  if (ticks % 2 === 1) return paragraph.endsWith('`') ? paragraph.slice(0, -1) : `${paragraph}\``
  const linked = paragraph.replace(/!?\[([^[\]\n]*)(?:\](?:\([^()\s]*)?)?$/, '$1')
  const bare = linked.replaceAll(/`[^`]*`/g, '')
  const bold = bare.split('**').length - 1
  if (bold % 2 === 1) return linked.endsWith('**') ? linked.slice(0, -2) : around(linked.replace(/\*$/, ''), '**')
  if (/(?<![*\w])\*$/.test(linked)) return linked.slice(0, -1)
  const single = [...bare.replaceAll('**', '').matchAll(/(?<![*\w])\*(?=[^\s*])|(?<=[^\s*])\*(?![*\w])/g)].length
  return single % 2 === 1 ? around(linked, '*') : linked
}

/** The closing mark comes before the blanks at the end; after them it would close nothing. */
function around(text: string, mark: string): string {
  const end = text.trimEnd().length
  return text.slice(0, end) + mark + text.slice(end)
}
