/** Commands and keywords that run what follows them, after their own options and values. */
const starters = new Set(
  (
    'env timeout nice ionice nohup setsid stdbuf time xargs sudo doas su chroot unshare nsenter watch flock script ' +
    'strace ltrace command builtin exec eval busybox parallel caffeinate systemd-run ssh sh bash zsh dash ksh ash fish ' +
    'if then else elif while until do ! { coproc find noglob nocorrect repeat - trap chrt taskset'
  ).split(' '),
)
/** `env -S`: the rest of the word is a command line. */
const splitString = /^(?:-\w*S|--split-string=)/
const gitOptionsWithValue = new Set(['-C', '-c', '--git-dir', '--work-tree', '--namespace', '--config-env'])
const deepest = 4
/** No honest command takes more to read: one that does is made to hide something or to keep Iris busy. */
const maxCharacters = 1_000_000

/**
 * All readings of a shell command that a deny rule must check: each part of it, with and without quotes, without
 * leading assignments, and the commands that it starts. Rather too many readings than too few. Undefined if reading the
 * command takes too much work.
 */
export function commandReadings(text: string): readonly string[] | undefined {
  const readings = new Readings()
  readings.add(text.trim())
  readings.read(text, 0)
  return readings.isTooMuch ? undefined : [...readings.all]
}

class Readings {
  readonly all = new Set<string>()
  #left = maxCharacters

  get isTooMuch(): boolean {
    return this.#left < 0
  }

  add(reading: string): void {
    this.#left -= reading.length
    this.all.add(reading)
  }

  read(text: string, depth: number): void {
    this.#left -= text.length
    if (depth > deepest || this.isTooMuch) return
    for (const words of segments(text)) this.#segment(words, depth)
  }

  #segment(words: readonly Word[], depth: number): void {
    const plain = words.map((word) => word.plain)
    this.add(words.map(({ written }) => written).join(' '))
    for (const { inner } of words) for (const part of inner) this.read(part, depth + 1)
    const begin = plain.findIndex((word) => !/^[A-Za-z_]\w*\+?=/.test(word))
    if (begin < 0) return
    this.#from(plain, begin)
    if (!starters.has(nameOf(plain[begin]!))) return
    for (let at = begin + 1; at < plain.length && !this.isTooMuch; at++) {
      this.#from(plain, at)
      if (/\s/.test(plain[at]!)) this.read(plain[at]!.replace(splitString, ''), depth + 1)
    }
  }

  /** Reads `/bin/rm` as `rm` too. */
  #from(words: readonly string[], at: number): void {
    const [first = '', ...rest] = words.slice(at)
    this.add([first, ...rest].join(' '))
    if (first.includes('/')) this.add([nameOf(first), ...rest].join(' '))
    if (nameOf(first) !== 'git') return
    const subcommand = afterGlobalOptions(rest)
    if (subcommand.length < rest.length) this.add(['git', ...subcommand].join(' '))
  }
}

/** For reading `git -C . push` as `git push` too. */
function afterGlobalOptions(words: readonly string[]): readonly string[] {
  let at = 0
  while (words[at]?.startsWith('-')) at += gitOptionsWithValue.has(words[at]!) ? 2 : 1
  return words.slice(at)
}

function nameOf(word: string): string {
  return word.slice(word.lastIndexOf('/') + 1)
}

interface Word {
  readonly written: string
  /** Without quotes and backslashes. */
  readonly plain: string
  /** The commands inside it: `$(…)` and backticks. */
  readonly inner: readonly string[]
}

/** Matches parts of words, and everything that separates words. */
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
    /(?<other>[^\s'"`\\$;&|(){}<>]+|.)/,
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
  for (const { 0: written, groups = {} } of text.matchAll(token)) {
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

/** The text after each `$(` or backtick, up to the end of the quotes: rather too much than too little. */
function substitutions(text: string): string[] {
  return [...text.matchAll(/\$\(|`/g)].map(({ index, 0: opening }) => text.slice(index + opening.length))
}
