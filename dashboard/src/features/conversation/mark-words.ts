const name = 'found'

/** Marks the search words in an element without changing the page. Returns a function that removes the marks. */
export function markWords(element: Element, words: string): () => void {
  if (!('highlights' in CSS)) return () => {}
  const wanted = words
    .toLowerCase()
    .split(/[\s"]+/)
    .filter((word) => word !== '')
  const ranges: Range[] = []
  const texts = document.createTreeWalker(element, NodeFilter.SHOW_TEXT)
  for (let node = texts.nextNode(); node !== null; node = texts.nextNode()) {
    const text = (node.nodeValue ?? '').toLowerCase()
    for (const word of wanted) {
      for (let at = text.indexOf(word); at !== -1; at = text.indexOf(word, at + word.length)) {
        const range = new Range()
        range.setStart(node, at)
        range.setEnd(node, Math.min(at + word.length, node.nodeValue?.length ?? 0))
        ranges.push(range)
      }
    }
  }
  CSS.highlights.set(name, new Highlight(...ranges))
  return () => void CSS.highlights.delete(name)
}
