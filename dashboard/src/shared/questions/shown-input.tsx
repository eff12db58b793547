const named = /(‹U\+[0-9A-F]{4,6}›)/

/** The whole input as Iris shows it; invisible characters are named and set off. */
export function ShownInput({ shown }: { readonly shown: string }) {
  let place = 0
  const parts = shown.split(named).map((text) => ({ text, at: (place += text.length) }))
  return (
    <pre className="border-line bg-page max-h-[50vh] overflow-auto rounded-md border p-2 font-mono whitespace-pre-wrap wrap-anywhere">
      {parts.map(({ text, at }, index) =>
        index % 2 === 0 ? (
          text
        ) : (
          <mark key={at} className="bg-bad text-page rounded-xs px-0.5">
            {text}
          </mark>
        ),
      )}
    </pre>
  )
}
