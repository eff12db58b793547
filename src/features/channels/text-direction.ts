const [endOfEmbedding, endOfIsolate] = ['\u202c', '\u2069']
const controls = /[\u202a-\u202e\u2066-\u2069]/g

/** A line with more of them open at a time is no writing: they are not repeated, and nothing more of it is read. */
const maxOpen = 6

/** The control characters of direction in force at the end of a line, which ends them: what goes on needs them again. */
export function openDirections(line: string): string {
  const open: string[] = []
  for (const [control] of line.matchAll(controls)) {
    const isolate = open.findLastIndex(isIsolate)
    if (control === endOfIsolate) open.splice(isolate === -1 ? open.length : isolate)
    else if (control !== endOfEmbedding) open.push(control)
    else if (open.length > 0 && isolate !== open.length - 1) open.pop()
    if (open.length > maxOpen) return ''
  }
  return open.join('')
}

function isIsolate(control: string): boolean {
  return control >= '\u2066'
}
