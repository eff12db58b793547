/** They run what follows them, after options and values of their own. */
const starters = new Set(
  (
    'env timeout nice ionice nohup setsid stdbuf time xargs sudo doas su chroot unshare nsenter watch flock script ' +
    'strace ltrace command builtin exec eval busybox parallel caffeinate systemd-run ssh sh bash zsh dash ksh ash fish ' +
    'if then else elif while until do ! { coproc find noglob nocorrect'
  ).split(' '),
)
const deepest = 4
const mostReadings = 2_000

/**
 * The ways in which a shell command can be read for a rule that forbids: each part of it, with and without its quotes,
 * without variables set before it, and what it starts. More than there is rather than less.
 */
export function commandReadings(text: string): readonly string[] {
  const readings = new Set([text.trim()])
  read(text, 0, readings)
  return [...readings]
}

function read(text: string, depth: number, readings: Set<string>): void {
  if (depth > deepest || readings.size > mostReadings) return
  for (const words of segments(text)) {
    const plain = words.map(({ plain }) => plain)
    readings.add(words.map(({ written }) => written).join(' '))
    const begin = plain.findIndex((word) => !/^[A-Za-z_]\w*\+?=/.test(word))
    if (begin < 0) continue
    addFrom(plain, begin, readings)
    for (const { inner } of words) for (const part of inner) read(part, depth + 1, readings)
    if (!starters.has(nameOf(plain[begin]!))) continue
    for (let at = begin + 1; at < plain.length && readings.size < mostReadings; at++) {
      addFrom(plain, at, readings)
      if (/\s/.test(plain[at]!)) read(plain[at]!, depth + 1, readings)
    }
  }
}

/** `/bin/rm` is `rm` as well. */
function addFrom(words: readonly string[], at: number, readings: Set<string>): void {
  const [first = '', ...rest] = words.slice(at)
  readings.add([first, ...rest].join(' '))
  readings.add([nameOf(first), ...rest].join(' '))
}

function nameOf(word: string): string {
  return word.slice(word.lastIndexOf('/') + 1)
}

interface Word {
  readonly written: string
  /** Without quotes and backslashes. */
  readonly plain: string
  /** What runs inside it: `$(…)` and backticks. */
  readonly inner: readonly string[]
}

/** The pieces that words are made of, and what stands between them. */
const token = new RegExp(
  [
    /\$'(?<escapes>(?:[^'\\]|\\.)*)'/,
    /'(?<single>[^']*)'/,
    /\$?"(?<double>(?:[^"\\]|\\.)*)"/,
    /`(?<ticks>[^`]*)`/,
    /(?<joined>\\\n)/,
    /\\(?<escaped>.)/,
    /(?<redirection>(?<![^\s;&|])\d*(?:&>{1,2}|[<>]{1,3}[&|]?)(?!\())/,
    /(?<redirected>(?:&>{1,2}|[<>]{1,3}[&|]?)(?!\())/,
    /(?<blank>\$\{?IFS\}?|[ \t]+)/,
    /(?<operator>[\n;&|(){}<>]+|\$\()/,
    /(?<other>.)/,
  ]
    .map(({ source }) => source)
    .join('|'),
  'gsu',
)

function segments(text: string): Word[][] {
  const found: Word[][] = [[]]
  const targets: Word[][] = []
  let word: { written: string; plain: string; inner: string[] } | undefined
  let isTarget = false
  const end = () => {
    if (!word) return
    if (isTarget) targets.push([word])
    else found.at(-1)!.push(word)
    word = undefined
    isTarget = false
  }
  for (const { 0: written, groups = {} } of text.slice(0, 100_000).matchAll(token)) {
    if (groups['joined'] !== undefined) continue
    if (groups['blank'] !== undefined) end()
    else if (groups['redirection'] !== undefined || groups['redirected'] !== undefined) {
      end()
      isTarget = true
    } else if (groups['operator'] !== undefined) {
      end()
      isTarget = false
      found.push([])
    } else {
      word ??= { written: '', plain: '', inner: [] }
      word.written += written
      word.plain += plainOf(groups, written)
      word.inner.push(...innerOf(groups))
    }
  }
  end()
  return [...found, ...targets].filter((words) => words.length > 0)
}

type Groups = Readonly<Record<string, string | undefined>>

function plainOf({ escapes, single, double, ticks, escaped }: Groups, written: string): string {
  if (escapes !== undefined)
    return escapes.replace(/\\(?:x([0-9a-f]{1,2})|u([0-9a-f]{1,4})|([0-7]{1,3})|(.))/gis, unescaped)
  return single ?? double?.replace(/\\([$`"\\])/g, '$1') ?? ticks ?? escaped ?? written
}

function unescaped(_: string, hex?: string, unicode?: string, octal?: string, other = ''): string {
  if (octal !== undefined) return String.fromCharCode(Number.parseInt(octal, 8))
  const code = hex ?? unicode
  return code === undefined ? other : String.fromCharCode(Number.parseInt(code, 16))
}

function innerOf({ double, ticks }: Groups): string[] {
  return [...(ticks === undefined ? [] : [ticks]), ...(double === undefined ? [] : substitutions(double))]
}

/** What begins with `$(` or a backtick is read to the end of the quotes: too much rather than too little. */
function substitutions(text: string): string[] {
  return [...text.matchAll(/\$\(|`/g)].map(({ index, 0: opening }) => text.slice(index + opening.length))
}
