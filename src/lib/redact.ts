/** Names under which secrets are kept. */
const secretName = /token|secret|password|passphrase|authorization|api[-_]?key|credential|cookie/i

const hidden = '[redacted]'

const secretTexts: readonly [RegExp, string][] = [
  // What an Authorization header holds.
  [/\b(Bearer|Basic)\s+[A-Za-z0-9._~+/=-]{6,}/gi, `$1 ${hidden}`],
  // Keys of model and source code services, and JSON web tokens, wherever they stand.
  [/\b(?:sk|pk|rk|ghp|gho|ghu|ghs|github_pat|glpat|xox[abps])[-_][A-Za-z0-9_-]{8,}/g, hidden],
  [/\beyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]*/g, hidden],
  // NAME=value, "name": "value", name: value
  [
    /((?:token|secret|password|passphrase|api[-_]?key|credentials?|cookie)["']?\s*[=:]\s*)("[^"]*"|'[^']*'|[^\s,;&"'}]+)/gi,
    `$1${hidden}`,
  ],
  // A password in a URL.
  [/(\b[a-z][a-z0-9+.-]{0,20}:\/\/[^\s/:@]{1,100}:)[^\s/@]{1,200}@/gi, `$1${hidden}@`],
]

/** The text without what looks like a secret. */
export function redactText(text: string): string {
  return secretTexts.reduce((sofar, [pattern, instead]) => sofar.replace(pattern, instead), text)
}

/** The same for a value and all in it; what has the name of a secret goes as a whole, unless it is a number. */
export function redact(value: unknown): unknown {
  if (typeof value === 'string') return redactText(value)
  if (Array.isArray(value)) return value.map(redact)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [
      name,
      secretName.test(name) && typeof inner !== 'number' ? hidden : redact(inner),
    ]),
  )
}
