import { texts } from './texts.ts'
/** The value that answers a typed ask: JSON, formatted if it is complete. */
export function Value({ json }: { readonly json: string }) {
  return (
    <pre
      aria-label={texts.value}
      className="bg-raised mt-1 max-h-96 overflow-auto rounded-md px-3 py-2 font-mono text-xs"
    >
      {laidOut(json)}
    </pre>
  )
}

function laidOut(json: string): string {
  try {
    return JSON.stringify(JSON.parse(json), null, 2)
  } catch {
    return `${json}…`
  }
}
