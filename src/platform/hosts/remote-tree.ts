import { randomUUID } from 'node:crypto'
import { piecesOf } from '../machine/local-tree.ts'
import type { FileFacts, FileProblem, FileTree, FoundBelow } from '../machine/machine.ts'
import { MachineError } from '../machine/machine-error.ts'
import type { DirectoryWatch } from './directory-watch.ts'
import type { CommandLimits, HostAnswer } from './host-commands.ts'
import { factsFunction, innerPath, printfText, remotePath, scriptEnds } from './remote-script.ts'

/** Runs scripts on that machine. Throws when the machine cannot be reached. */
export interface Scripts {
  readonly name: string
  run(script: string, limits?: CommandLimits): Promise<HostAnswer>
  /** Watches a directory, which is given as shell words. */
  watchOf(directory: string): DirectoryWatch
}

const { absent, notPlain, exists, failed } = scriptEnds
const maxListed = 8 * 1024 * 1024
const maxFound = 1000
/** This does not use `ls`, because busybox's `ls` changes names that are not ASCII. */
const namesHere = `for f in * .[!.]* ..?*; do [ -e "$f" ] || [ -L "$f" ] || continue; printf '%s\\n' "$f"; done`
/** How many bytes of a file are sent in one shell line. */
const pieceBytes = 64 * 1024
/** Large files take long over a slow connection. */
const transferMs = 120_000

/**
 * A directory of another machine, accessed by short scripts. Follows no links below it, and touches only plain files of
 * the user. An agent there, which has all rights of that user anyway, may still replace a file between two steps.
 */
export class RemoteTree implements FileTree {
  readonly directory: string
  readonly #scripts: Scripts
  readonly #watches = new Map<string, DirectoryWatch>()
  readonly #root: string

  /** `root` is absolute, or begins with `~/`. */
  constructor(scripts: Scripts, root: string) {
    this.#scripts = scripts
    this.#root = root
    this.directory = `${scripts.name}:${root}`
  }

  path(names: readonly string[]): string {
    return [this.#root, ...names].join('/')
  }

  async find(names: readonly string[]): Promise<FileFacts | undefined> {
    const { status, output } = await this.#at(names, 'facts "$f"')
    if (status === absent) return undefined
    this.#mustBeDone(status, names)
    return factsIn(output.toString('latin1'), names, this.#scripts.name)
  }

  async findBelow(names: readonly string[], file: string): Promise<FoundBelow> {
    const script = `
      for d in ./*/; do f="$d"${innerPath([file]).replace("'./", "'")}
        if [ -L "\${d%/}" ] || [ -L "$f" ]; then [ -e "$f" ] && printf 'link %s\\n' "$d"; continue; fi
        [ -f "$f" ] && [ -O "$f" ] && printf 'file %s ' "$(facts "$f")" && printf '%s\\n' "$d"
      done; :`
    try {
      const { status, output } = await this.#in(names, script)
      if (status === absent) return { files: [], problems: [] }
      this.#mustBeDone(status, names)
      return this.#foundIn(output.toString('utf8'), names, file)
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error)
      const problem = { place: names.join('/'), why, mayPass: !(error instanceof MachineError) }
      return { files: [], problems: [problem] }
    }
  }

  async read(file: FileFacts, from: number, length: number): Promise<Buffer> {
    const script = `facts "$f" | cut -d ' ' -f 3 && tail -c +${from + 1} "$f" | head -c ${length}`
    const { status, output } = await this.#at(file.names, script, { mostBytes: length + 4096, timeoutMs: transferMs })
    this.#mustBeDone(status, file.names)
    const line = output.indexOf('\n')
    const name = file.names.at(-1)
    if (this.#identity(output.toString('latin1', 0, line)) !== file.identity) {
      throw new MachineError(`${name} is a different file than before`)
    }
    return output.subarray(line + 1)
  }

  async *list(names: readonly string[]): AsyncGenerator<string> {
    const { status, output } = await this.#in(names, namesHere, { mostBytes: maxListed })
    if (status === absent) return
    this.#mustBeDone(status, names)
    yield* output.toString('utf8').split('\n').filter(Boolean)
  }

  async append(file: FileFacts, pieces: AsyncIterable<Uint8Array>): Promise<void> {
    const isSame = `[ "$(facts "$f" | cut -d ' ' -f 2,3)" = '1 ${file.identity.slice(this.#scripts.name.length + 1)}' ]`
    for await (const piece of smaller(pieces)) {
      const script = `${isSame} || exit ${notPlain}; printf '%b' ${printfText(piece)} >>"$f" || exit ${failed}`
      this.#mustBeDone((await this.#at(file.names, script)).status, file.names)
    }
  }

  async write(names: readonly string[], pieces: AsyncIterable<Uint8Array>, { replace = false } = {}): Promise<void> {
    const directory = names.slice(0, -1)
    const half = innerPath([`${names.at(-1)}.${randomUUID()}.half`])
    const name = innerPath([names.at(-1)!])
    const step = async (script: string): Promise<void> => {
      this.#mustBeDone((await this.#in(directory, script)).status, names)
    }
    const made = `mkdir -p ${remotePath(this.#root)} && cd ${remotePath(this.#root)} && mkdir -p ${innerPath(directory)}`
    const { status } = await this.#scripts.run(`umask 077; ${made} || exit ${failed}`)
    this.#mustBeDone(status, names)
    try {
      await step(`umask 077; set -C; : >${half} || exit ${failed}`)
      for await (const piece of smaller(pieces)) {
        await step(`printf '%b' ${printfText(piece)} >>${half} || exit ${failed}`)
      }
      const kept = `ln ${half} ${name} || { [ -e ${name} ] && exit ${exists}; exit ${failed}; }`
      await step(replace ? `mv -f ${half} ${name} || exit ${failed}` : kept)
    } finally {
      await step(`rm -f ${half}`).catch(() => {})
    }
  }

  async place(names: readonly string[], from: FileTree, file: FileFacts): Promise<void> {
    try {
      await this.write(names, piecesOf(from, file))
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    }
  }

  async move(from: readonly string[], to: readonly string[]): Promise<void> {
    for (const names of [from, to]) mustBeNames(names)
    const [former, next] = [innerPath(from), innerPath(to)]
    const [outer, inner] = [innerPath(from.slice(0, -1)), innerPath(to.slice(0, -1))]
    const script = `
      for d in ${outer} ${inner}; do [ -L "$d" ] && exit ${notPlain}; done
      [ -e ${former} ] || exit ${absent}; umask 077; mkdir -p ${inner} || exit ${failed}
      [ -e ${next} ] && exit ${exists}; mv ${former} ${next} || exit ${failed}`
    this.#mustBeDone((await this.#in([], script)).status, from)
  }

  async touch(file: FileFacts, modifiedAt: number): Promise<void> {
    const at = new Date(modifiedAt).toISOString().replace(/[-:T]/g, '')
    const time = `${at.slice(0, 12)}.${at.slice(12, 14)}`
    const { status } = await this.#at(file.names, `TZ=UTC0 touch -m -t ${time} "$f" || exit ${failed}`)
    this.#mustBeDone(status, file.names)
  }

  async remove(names: readonly string[]): Promise<void> {
    const { status } = await this.#in(names.slice(0, -1), `rm -f ${innerPath([names.at(-1)!])} || exit ${failed}`)
    if (status !== absent) this.#mustBeDone(status, names)
  }

  async removeAll(names: readonly string[]): Promise<void> {
    const { status } = await this.#in(names.slice(0, -1), `rm -rf ${innerPath([names.at(-1)!])} || exit ${failed}`)
    if (status !== absent) this.#mustBeDone(status, names)
  }

  /** Watches a directory through a shell there, which all subscribers of that directory share. */
  async watch(names: readonly string[], onChange: (name: string) => void): Promise<() => void> {
    mustBeNames(names)
    const directory = `${remotePath(this.#root)}/${innerPath(names)}`
    const watch = this.#watches.get(directory) ?? this.#scripts.watchOf(directory)
    this.#watches.set(directory, watch)
    return watch.subscribe(onChange)
  }

  /** Runs a script in the directory; no part of the path below the root may be a link. */
  #in(names: readonly string[], script: string, limits?: CommandLimits): Promise<HostAnswer> {
    mustBeNames(names)
    const enter = names.map((name) => {
      const inner = innerPath([name])
      return `[ -L ${inner} ] && exit ${notPlain}; cd ${inner} || exit ${absent}`
    })
    const lines = [factsFunction, `cd ${remotePath(this.#root)} || exit ${absent}`, ...enter, script]
    return this.#scripts.run(lines.join('\n'), limits)
  }

  /** Runs a script with `$f` set to a plain file of the user. */
  #at(names: readonly string[], script: string, limits?: CommandLimits): Promise<HostAnswer> {
    const file = names.at(-1)!
    mustBeNames([file])
    const check = [
      `f=${innerPath([file])}`,
      `[ -L "$f" ] && exit ${notPlain}; [ -e "$f" ] || exit ${absent}; [ -f "$f" ] && [ -O "$f" ] || exit ${notPlain}`,
    ]
    return this.#in(names.slice(0, -1), [...check, script].join('\n'), limits)
  }

  #foundIn(text: string, names: readonly string[], file: string): FoundBelow {
    const files: FileFacts[] = []
    const problems: FileProblem[] = []
    for (const line of text.split('\n').slice(0, maxFound)) {
      const [, kind, facts, directory] = /^(?:(link)|file (\S+ \S+ \S+ \S+ \S+ \S+)) \.\/([^/]+)\/$/.exec(line) ?? []
      if (directory === undefined) continue
      if (kind === 'link') problems.push({ place: `${directory}/${file}`, why: 'it is a link', mayPass: false })
      const found = facts && factsIn(facts, [...names, directory, file], this.#scripts.name)
      if (found) files.push(found)
    }
    return { files, problems }
  }

  #identity(said: string): string {
    return `${this.#scripts.name}:${said}`
  }

  #mustBeDone(status: number, names: readonly string[]): void {
    const name = names.at(-1) ?? this.#root
    if (status === 0) return
    if (status === notPlain) throw new MachineError(`${name} is a link, or not a file that belongs to the user there`)
    if (status === absent) throw codeError('ENOENT', `${name} is not there`)
    if (status === exists) throw codeError('EEXIST', `${name} already exists`)
    throw new MachineError(`${this.#scripts.name} could not carry this out for ${name}`)
  }
}

function factsIn(text: string, names: readonly string[], host: string): FileFacts | undefined {
  const [, links, identity, size, modified, created] = /^\d+ (\d+) (\d+:\d+) (\d+) (\d+) (\S*)\s*$/.exec(text) ?? []
  if (identity === undefined)
    throw new MachineError(`${host} described ${names.at(-1)} in a form that Iris does not know`)
  const modifiedAt = Number(modified) * 1000
  return {
    names,
    size: Number(size),
    modifiedAt,
    links: Number(links),
    // 0 if the file system does not record it.
    createdAt: Number(created) > 0 ? Number(created) * 1000 : modifiedAt,
    identity: `${host}:${identity}`,
  }
}

function mustBeNames(names: readonly string[]): void {
  for (const name of names) {
    if (name === '' || name === '.' || name === '..' || /[/\0\n]/.test(name))
      throw new MachineError('it is not the name of a file')
  }
}

async function* smaller(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  for await (const piece of pieces) {
    for (let from = 0; from < piece.length; from += pieceBytes) yield piece.subarray(from, from + pieceBytes)
  }
}

function codeError(code: string, message: string): Error {
  return Object.assign(new Error(message), { code })
}
