/**
 * Parsing Markdown takes time proportional to the square of the number of marks in one paragraph, and of the lists and
 * quotes that begin within one line. These limits are far above what people and models write.
 */
const mostMarks = 2000
const mostContainers = 30
const mostBlankLines = 200
const longest = 200_000

const fence = /^ {0,3}(`{3,}(?=[^`]*$)|~{3,})/
const container = /(?:[*+-]|\d{1,9}[.)])(?=[ \t]|$)|>/y

/** Whether rendering a text as Markdown would block the page. The text comes from agents, which may quote others. */
export function isCostly(text: string): boolean {
  if (text.length > longest) return true
  // A line that begins like HTML may hide where code ends.
  const hasHtml = /^[ \t>*+-]*</m.test(text)
  let [marks, blank, open] = [0, 0, '']
  for (const line of text.split('\n')) {
    const [, mark = ''] = fence.exec(line) ?? []
    if (open !== '') {
      const isEnd = mark.startsWith(open) && line.trim() === mark
      if (isEnd) open = ''
      if (!hasHtml) continue
    } else if (mark !== '') open = mark
    const isBlank = line.trim() === ''
    blank = isBlank ? blank + 1 : 0
    marks = isBlank ? 0 : marks + marksIn(line)
    if (marks > mostMarks || blank > mostBlankLines || containersOf(line) > mostContainers) return true
  }
  return false
}

/** A row of a table costs less than emphasis. */
function marksIn(line: string): number {
  let marks = 0
  for (const character of line) {
    if ('*_~`[]<&!'.includes(character)) marks += 1
    else if (character === '|') marks += 0.5
  }
  return marks
}

/** The lists and quotes with which a line begins. */
function containersOf(line: string): number {
  let [count, at] = [0, 0]
  for (;;) {
    while (line[at] === ' ' || line[at] === '\t') at += 1
    container.lastIndex = at
    if (!container.test(line)) return count
    at = container.lastIndex
    count += 1
  }
}
