/** Names of fields and variables that hold secrets. */
const secretName =
  /token|secret|password|passphrase|passwd|authorization|api[-_]?key|private[-_]?key|credential|cookie|webhook|_(?:key|pass|pwd|auth)$/i

export const hidden = '[redacted]'

const secretTexts: readonly (readonly [RegExp, string])[] = [
  [/-----BEGIN [A-Z ]{0,30}PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]{0,30}PRIVATE KEY-----|$)/g, hidden],
  // The value of an Authorization header.
  [/\b(Bearer|Basic)\s+[A-Za-z0-9._~+/=-]{6,}/gi, `$1 ${hidden}`],
  // Keys of model, source code, chat and cloud services, and JSON web tokens, anywhere in the text.
  [/\b(?:sk|pk|rk|ghp|gho|ghu|ghs|ghr|github_pat|glpat|npm|hf|pypi|xapp|xox[abceprs])[-_][A-Za-z0-9_-]{8,}/g, hidden],
  [/\biris_[0-9A-Za-z]{49}\b/g, hidden],
  [/\b(?:AKIA|ASIA)[A-Z0-9]{16}\b|\bAIza[A-Za-z0-9_-]{35}/g, hidden],
  [/\beyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]*/g, hidden],
  // Webhooks: anyone with the URL can post.
  [/\b(hooks\.slack\.com\/(?:services|workflows|triggers)\/)[^\s"'<>]+/gi, `$1${hidden}`],
  [/\b(discord(?:app)?\.com\/api\/(?:v\d{1,3}\/)?webhooks\/)[^\s"'<>]+/gi, `$1${hidden}`],
  // NAME=value, "name": "value", name: value
  [
    /((?:token|secret|password|passphrase|passwd|api[-_]?key|credentials?|cookie)["']?\s*[=:]\s*)("[^"]*"|'[^']*'|[^\s,;&"'}]+)/gi,
    `$1${hidden}`,
  ],
  [/(\b[A-Z][A-Z0-9_]{0,60}_(?:KEY|PASS|PWD|AUTH)["']?\s*[=:]\s*)("[^"]*"|'[^']*'|[^\s,;&"'}]+)/g, `$1${hidden}`],
  // In URLs: passwords, user names long enough to be tokens, and signatures.
  [/(\b[a-z][a-z0-9+.-]{0,20}:\/\/[^\s/:@]{0,100}:)[^\s/@]{1,200}@/gi, `$1${hidden}@`],
  [/(\b[a-z][a-z0-9+.-]{0,20}:\/\/)[^\s/:@]{20,200}@/gi, `$1${hidden}@`],
  [/([?&](?:sig|signature|key|auth)=)[^\s&"'<>]+/gi, `$1${hidden}`],
]

/** Fast path: most texts in an event are one of Iris's ids or a single plain word, which no pattern matches. */
const plain = /^(?:[a-z]{0,24}|[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})$/

/** Cached, because field names repeat; bounded, because outsiders choose some of them. */
const judgedNames = new Map<string, boolean>()
const maxNames = 1000

export function isSecretName(name: string): boolean {
  const known = judgedNames.get(name)
  if (known !== undefined) return known
  const isSecret = secretName.test(name)
  if (judgedNames.size < maxNames && name.length <= 100) judgedNames.set(name, isSecret)
  return isSecret
}

/** The text with everything that looks like a secret replaced. */
export function redactText(text: string): string {
  if (plain.test(text)) return text
  return secretTexts.reduce((sofar, [pattern, instead]) => sofar.replace(pattern, instead), text)
}

/**
 * The same for a whole value; `redacted` handles each string in it. Strings, lists and objects under the name of a
 * secret are replaced whole. Returns the same object if nothing changes: most values hold no secret, and copies would
 * cost more than the search.
 */
export function redact(value: unknown, redacted: (text: string) => string = redactText): unknown {
  if (typeof value === 'string') return redacted(value)
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) {
    const items = value.map((inner) => redact(inner, redacted))
    return items.some((inner, place) => inner !== value[place]) ? items : value
  }
  let changed: Record<string, unknown> | undefined
  for (const name of Object.keys(value)) {
    const inner: unknown = (value as Record<string, unknown>)[name]
    const isHidden = (typeof inner === 'string' || (typeof inner === 'object' && inner !== null)) && isSecretName(name)
    const shown = isHidden ? hidden : redact(inner, redacted)
    if (shown !== inner) (changed ??= { ...value })[name] = shown
  }
  return changed ?? value
}
