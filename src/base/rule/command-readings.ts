import { expandedBraces } from './brace-expansion.ts'

const shells = 'sh bash zsh dash ksh ash fish rbash'.split(' ')
/** Commands and keywords that run what follows them, after their own options and values. */
const starters = new Set([
  ...shells,
  ...(
    'env timeout nice ionice nohup setsid stdbuf time xargs sudo doas su sg runuser pkexec chroot unshare nsenter watch ' +
    'flock script strace ltrace command builtin exec eval busybox parallel caffeinate systemd-run systemd-inhibit ' +
    'systemd-cat ssh ssh-agent setarch linux32 linux64 prlimit setpriv choom numactl runcon start-stop-daemon logsave ' +
    'fakeroot bwrap firejail dbus-run-session xvfb-run rlwrap unbuffer tini dumb-init arch mapfile readarray ' +
    'if then else elif while until do ! { coproc find noglob nocorrect repeat - trap chrt taskset'
  ).split(' '),
])
/** Programs that run commands which another command or a file supplies. */
const fed: ReadonlySet<string> = new Set([...shells, 'source', '.', 'xargs', 'parallel', 'sudo', 'env'])
const feeders: ReadonlySet<string> = new Set(['echo', 'printf'])
const feeding = /(?<!\|)\|(?!\|)|<\(/
/** `env -S`: the rest of the word is a command line. */
const splitString = /^(?:-\w*S|--split-string=)/
const gitOptionsWithValue = new Set(
  '-C -c --git-dir --work-tree --namespace --config-env --attr-source --super-prefix'.split(' '),
)
/** No honest command nests deeper in quotes. */
const deepest = 6
/** No honest command takes more work to read: a command that does is made to hide something or to keep Iris busy. */
const maxCharacters = 1_000_000

/**
 * All readings of a shell command that a deny rule must check: each part of it, with and without quotes, without
 * leading assignments, and the commands that it starts. Prefers too many readings to too few. Undefined if reading the
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
    this.#left -= depth > deepest ? maxCharacters + 1 : text.length
    if (this.isTooMuch) return
    this.#readAs(text, depth, false)
    // A quote character in a comment or a here-document does not start a quote; treating it as one would hide what
    // follows.
    if (/#|<</.test(text)) this.#readAs(text, depth, true)
    const expanded = expandedBraces(text)
    if (expanded !== text) this.read(expanded, depth + 1)
  }

  #readAs(text: string, depth: number, isScript: boolean): void {
    const { found, hereDocuments } = segments(text, isScript)
    const isFed = feeding.test(text) && found.some(([first]) => fed.has(nameOf(first!.plain)))
    for (const words of found) this.#segment(words, depth, isFed)
    for (const body of hereDocuments) for (const part of [body, ...substitutions(body)]) this.read(part, depth + 1)
  }

  #segment(words: readonly Word[], depth: number, isFed: boolean): void {
    const plain = words.map((word) => word.plain)
    this.add(words.map(({ written }) => written).join(' '))
    for (const { inner } of words) for (const part of inner) this.read(part, depth + 1)
    const begin = plain.findIndex((word) => !/^[A-Za-z_]\w*(?:\[.*\])?\+?=/s.test(word))
    if (begin < 0) return
    this.#from(plain, begin)
    const name = nameOf(plain[begin]!)
    if (!starters.has(name) && !(isFed && feeders.has(name))) return
    for (let at = begin + 1; at < plain.length && !this.isTooMuch; at++) {
      this.#from(plain, at)
      if (!/\s/.test(plain[at]!)) continue
      this.read(plain[at]!.replace(splitString, ''), depth + 1)
      // `--command='rm x'`, `-c'rm x'`
      for (const part of words[at]!.quoted) if (part !== plain[at]) this.read(part, depth + 1)
    }
  }

  /** Reads `/bin/rm` as `rm` too, and `RM`, which is the same file on many disks. */
  #from(words: readonly string[], at: number): void {
    const [first = '', ...rest] = words.slice(at)
    const name = nameOf(first)
    for (const each of new Set([first, name, name.toLowerCase()])) this.add([each, ...rest].join(' '))
    if (name.toLowerCase() !== 'git') return
    const subcommand = afterGlobalOptions(rest)
    if (subcommand.length < rest.length) this.add(['git', ...subcommand].join(' '))
  }
}

/** Skips git's global options, so that `git -C . push` is also read as `git push`. */
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
  /** The word without quotes and backslashes. */
  readonly plain: string
  /** The commands inside it: `$(…)` and backticks. */
  readonly inner: readonly string[]
  /** The quoted parts. */
  readonly quoted: readonly string[]
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
    /\{\w+\}(?<variable>(?:<<-|[<>]{1,3}[&|]?)(?!\())/,
    /(?<redirection>(?<![^\s;&|])\d*(?:&>{1,2}|<<-|[<>]{1,3}[&|]?)(?!\())/,
    /(?<redirected>(?:&>{1,2}|<<-|[<>]{1,3}[&|]?)(?!\())/,
    /(?<blank>\$\{?IFS\}?|[ \t]+)/,
    /(?<operator>[\n;&|(){}<>]+|\$\()/,
    /(?<other>[^\s'"`\\$;&|(){}<>]+|.)/,
  ]
    .map(({ source }) => source)
    .join('|'),
  'gsu',
)

const commentOr = new RegExp(`(?<comment>(?<![^\\s;&|()<>])#[^\\n]*)|${token.source}`, token.flags)

interface Segments {
  readonly found: readonly (readonly Word[])[]
  readonly hereDocuments: readonly string[]
}

/** `isScript`: read as a shell does, skipping comments and returning here-documents separately. */
function segments(text: string, isScript: boolean): Segments {
  const found: Word[][] = [[]]
  const targets: Word[][] = []
  const hereDocuments: string[] = []
  const awaited: { end: string; tabs: boolean }[] = []
  let word: { written: string; plain: string; inner: string[]; quoted: string[] } | undefined
  let target: string | undefined
  const end = () => {
    if (!word) return
    if (target === undefined) found.at(-1)!.push(word)
    else targets.push([word])
    if (isScript && /^<<-?$/.test(target ?? '')) awaited.push({ end: word.plain, tabs: target === '<<-' })
    word = undefined
    target = undefined
  }
  const tokens = new RegExp(isScript ? commentOr : token)
  for (let match = tokens.exec(text); match; match = tokens.exec(text)) {
    const { 0: written, index, groups = {} } = match
    if (groups['joined'] !== undefined || groups['comment'] !== undefined) continue
    const redirection = groups['redirection'] ?? groups['redirected'] ?? groups['variable']
    if (groups['blank'] !== undefined) end()
    else if (redirection !== undefined) {
      end()
      target = redirection.replace(/^\d+/, '')
    } else if (groups['operator'] !== undefined) {
      end()
      target = undefined
      found.push([])
      const line = written.indexOf('\n')
      if (line < 0 || awaited.length === 0) continue
      tokens.lastIndex = index + line + 1
      for (const each of awaited.splice(0)) {
        const [body, next] = hereDocument(text, tokens.lastIndex, each)
        hereDocuments.push(body)
        tokens.lastIndex = next
      }
    } else {
      word ??= { written: '', plain: '', inner: [], quoted: [] }
      const plain = plainOf(groups, written)
      word.written += written
      word.plain += plain
      word.inner.push(...innerOf(groups))
      if (/^\$?['"]/.test(written)) word.quoted.push(plain)
    }
  }
  end()
  return { found: [...found, ...targets].filter((words) => words.length > 0), hereDocuments }
}

/** The lines of the here-document up to its end line, and where the text continues. */
function hereDocument(text: string, from: number, { end, tabs }: { end: string; tabs: boolean }): [string, number] {
  for (let at = from; at < text.length; ) {
    const stop = text.indexOf('\n', at)
    const next = stop < 0 ? text.length : stop + 1
    const line = text.slice(at, stop < 0 ? text.length : stop)
    if ((tabs ? line.replace(/^\t+/, '') : line) === end) return [text.slice(from, at), next]
    at = next
  }
  return [text.slice(from), text.length]
}

type Groups = Readonly<Record<string, string | undefined>>

function plainOf({ escapes, single, double, ticks, escaped }: Groups, written: string): string {
  if (escapes !== undefined)
    return escapes.replace(
      /\\(?:x([0-9a-fA-F]{1,2})|u([0-9a-fA-F]{1,4})|U([0-9a-fA-F]{1,8})|([0-7]{1,3})|(.))/gs,
      unescaped,
    )
  return single ?? double?.replace(/\\([$`"\\])/g, '$1') ?? ticks ?? escaped ?? written
}

function unescaped(_: string, hex?: string, short?: string, long?: string, octal?: string, other = ''): string {
  if (octal !== undefined) return String.fromCharCode(Number.parseInt(octal, 8))
  const code = Number.parseInt(hex ?? short ?? long ?? '', 16)
  if (Number.isNaN(code)) return other
  return code > 0x10_ff_ff ? '' : String.fromCodePoint(code)
}

function innerOf({ double, ticks }: Groups): string[] {
  return [...(ticks === undefined ? [] : [ticks]), ...(double === undefined ? [] : substitutions(double))]
}

/** The text after each `$(` or backtick, up to the end of the quotes. Prefers too much to too little. */
function substitutions(text: string): string[] {
  return [...text.matchAll(/\$\(|`/g)].map(({ index, 0: opening }) => text.slice(index + opening.length))
}
