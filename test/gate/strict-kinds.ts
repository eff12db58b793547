interface Kind {
  readonly kind: string
  readonly path: RegExp
  readonly text: RegExp
}

/**
 * Tests whose failures are never forgiven: one failure in twenty of "no message runs twice" is the fault that Iris must not have.
 * A file belongs to a kind by its path or by what its text names. That takes in some files too many, which costs a red run at most.
 */
const kinds: readonly Kind[] = [
  { kind: 'property', path: /^test\/property\//, text: /fast-check/ },
  { kind: 'cut', path: /^test\/cuts\/|\bcuts?\b/, text: /cut-link|play-cuts/ },
  { kind: 'pin', path: /^test\/pins\//, text: /pin-world/ },
  { kind: 'crash', path: /crash|kill/, text: /crash|SIGKILL|daemon-process/i },
  { kind: 'fence', path: /fence/, text: /\bfence|toolStart/i },
]

/** The kind that makes a file strict; undefined for any other file. */
export function strictKindOf(path: string, text: string): string | undefined {
  return kinds.find((each) => each.path.test(path) || each.text.test(text))?.kind
}
