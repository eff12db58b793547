import { common, createLowlight } from 'lowlight'
import { type ReactNode, useMemo } from 'react'

const lowlight = createLowlight(common)
/** Longer code stays as it is: colouring it would hold the page up. In characters. */
const longest = 50_000

/** Code in the colours of its language; plain if the language is not known. */
export function HighlightedCode({ language, text }: { readonly language: string; readonly text: string }) {
  return useMemo(() => {
    if (text.length > longest || !lowlight.registered(language)) return text
    return lowlight.highlight(language, text).children.map(shown)
  }, [language, text])
}

type Node = ReturnType<typeof lowlight.highlight>['children'][number]

/** Returns only text and coloured text; nothing in the code becomes HTML. */
function shown(node: Node, index: number): ReactNode {
  if (node.type === 'text') return node.value
  if (node.type !== 'element') return null
  const { className } = node.properties
  return (
    <span key={index} className={Array.isArray(className) ? className.join(' ') : undefined}>
      {(node.children as Node[]).map(shown)}
    </span>
  )
}
