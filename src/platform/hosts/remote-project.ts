import { isUtf8 } from 'node:buffer'
import { outsideText, problemText } from '../machine/file-problem.ts'
import type {
  Commit,
  FileStates,
  FoundBytes,
  FoundDiff,
  FoundText,
  ProjectFiles,
  ReadOptions,
  Written,
} from '../machine/machine.ts'
import { MachineError } from '../machine/machine-error.ts'
import { remoteGitDiff } from './remote-diff.ts'
import { remoteFileStates, remoteLastCommit } from './remote-git.ts'
import { factsFunction, followLink, remotePath, scriptEnds } from './remote-script.ts'
import type { Scripts } from './remote-tree.ts'
import { remoteWriteText } from './remote-write.ts'
import { shellQuoted } from './shell-words.ts'

const { absent, notPlain, outside } = scriptEnds
/** Large files take long over a slow connection. */
const transferMs = 120_000

/** The project of a team on another machine. */
export class RemoteProject implements ProjectFiles {
  readonly #scripts: Scripts
  readonly #directory: () => string

  constructor(scripts: Scripts, directory: () => string) {
    this.#scripts = scripts
    this.#directory = directory
  }

  async exists(): Promise<boolean> {
    const { status } = await this.#scripts.run(`[ -d ${shellQuoted(this.#directory())} ]`)
    return status === 0
  }

  async identity(): Promise<undefined> {}

  async realPath(): Promise<string | undefined> {
    const { status, output } = await this.#scripts.run(`cd ${shellQuoted(this.#directory())} && pwd -P`)
    return status === 0 ? output.toString('utf8').replace(/\n$/, '') : undefined
  }

  async readText(name: string, { mostBytes, cut = false, anywhere = false }: ReadOptions): Promise<FoundText> {
    const read = await this.#read(anywhere ? remotePath(name) : shellQuoted(`./${name}`), mostBytes, anywhere)
    if (read.kind !== 'bytes') return read
    const isCut = read.bytes.length > mostBytes
    if (isCut && !cut) return { kind: 'unusable', problem: problemText('too-large', mostBytes) }
    const text = isCut ? wholeCharacters(read.bytes.subarray(0, mostBytes)) : read.bytes
    if (!isUtf8(text)) return { kind: 'unusable', problem: problemText('no-utf8') }
    return { kind: 'text', text: text.toString('utf8'), isCut }
  }

  async readBytes(name: string, mostBytes: number): Promise<FoundBytes> {
    const read = await this.#read(shellQuoted(name.startsWith('/') ? name : `./${name}`), mostBytes)
    if (read.kind === 'unusable' && read.problem === problemText('outside'))
      return { kind: 'unusable', problem: outsideText }
    const isLarge = read.kind === 'bytes' && read.bytes.length > mostBytes
    return isLarge ? { kind: 'unusable', problem: problemText('too-large', mostBytes) } : read
  }

  /**
   * `path` is quoted for the shell. Reads one byte more than `mostBytes`; if it gets that byte, the file is too large.
   */
  async #read(path: string, mostBytes: number, anywhere = false): Promise<FoundBytes> {
    const script = `
      cd ${shellQuoted(this.#directory())} || exit ${absent}
      f=${path}; [ -e "$f" ] || exit ${absent}; [ -f "$f" ] || exit ${notPlain}${followLink(anywhere)}
      head -c ${mostBytes + 1} "$f"`
    const { status, output } = await this.#scripts.run(script, { mostBytes: mostBytes + 4096, timeoutMs: transferMs })
    if (status === absent) return { kind: 'absent' }
    if (status === notPlain) return { kind: 'unusable', problem: problemText('no-file') }
    if (status === outside) return { kind: 'unusable', problem: problemText('outside') }
    if (status !== 0) return { kind: 'unusable', problem: problemText('unreadable') }
    return { kind: 'bytes', bytes: output }
  }

  async lastChange(names: readonly string[]): Promise<number> {
    const paths = names.map((name) => (/^[/~]/.test(name) ? remotePath(name) : shellQuoted(`./${name}`)))
    const script = `${factsFunction}
      cd ${shellQuoted(this.#directory())} || exit ${absent}
      for f in ${paths.join(' ')}; do [ -e "$f" ] && facts "$f" | cut -d ' ' -f 5; done; :`
    const { status, output } = await this.#scripts.run(script)
    if (status !== 0) throw new MachineError('the project is not there')
    const times = output.toString('latin1').split('\n').map(Number).filter(Number.isFinite)
    return Math.max(0, ...times) * 1000
  }

  gitDiff(mostBytes: number): Promise<FoundDiff> {
    return remoteGitDiff(this.#scripts, this.#directory(), mostBytes)
  }

  fileStates(names: readonly string[]): Promise<FileStates> {
    return remoteFileStates(this.#scripts, this.#directory(), names)
  }

  lastCommit(name: string, since: string): Promise<Commit | undefined> {
    return remoteLastCommit(this.#scripts, this.#directory(), name, since)
  }

  writeText(name: string, text: string, was: string | undefined): Promise<Written> {
    return remoteWriteText(this.#scripts, this.#directory(), { name, text, was })
  }
}

/** Drops a character that was cut in two at the end. */
function wholeCharacters(bytes: Buffer): Buffer {
  let end = bytes.length
  while (end > 0 && bytes.length - end < 4 && (bytes[end - 1]! & 0xc0) === 0x80) end -= 1
  const lead = bytes[end - 1] ?? 0
  const wanted = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : lead >= 0xc0 ? 2 : 1
  return bytes.length - end + 1 === wanted ? bytes : bytes.subarray(0, lead >= 0x80 ? end - 1 : bytes.length)
}
