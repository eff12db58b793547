const [endOfEmbedding, endOfIsolate] = ['\u202c', '\u2069']
const controls = /[\u202a-\u202e\u2066-\u2069]/g

/**
 * A line with more open controls than this is not real text: the controls are not repeated, and the rest of the line is
 * not scanned.
 */
const maxOpen = 6

/**
 * The direction controls that are still open at the end of a line. The end of the line closes them, so the text after
 * the line must repeat them.
 */
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
