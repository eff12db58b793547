import { MachineError } from '../machine/machine-error.ts'
import { printfText, remotePath, scriptEnds } from './remote-script.ts'
import type { Scripts } from './remote-tree.ts'
import { shellQuoted } from './shell-words.ts'

const { absent, notPlain, outside, failed } = scriptEnds

export interface PrivatePlace {
  /** Absolute path. */
  readonly project: string
  /** Relative to the project, absolute, or beginning with `~/`. */
  readonly directory: string
  readonly file: string
}

/**
 * Files on another machine that a single process needs; they are removed when it ends. A note about each file is kept
 * on that machine, next to the supervisor, so that a later daemon finds the files of a killed daemon.
 */
export class PrivateFiles {
  readonly #scripts: Pick<Scripts, 'run'>
  /** Names the directory with the notes of this Iris. */
  readonly #tag: string
  readonly #living = new Set<string>()
  #removing: Promise<unknown> = Promise.resolve()

  constructor(scripts: Pick<Scripts, 'run'>, tag: string) {
    this.#scripts = scripts
    this.#tag = tag
  }

  /** Writes a file of mode 0600; `id` is a word. Throws MachineError if others could change the directory. */
  async write(id: string, place: PrivatePlace, text: string): Promise<{ path: string; remove: () => void }> {
    const { project, directory, file } = place
    const isOwn = /^[~/]/.test(directory)
    const names = isOwn ? [] : directory.split('/').filter((name) => name !== '' && name !== '.')
    if (names.includes('..')) throw new MachineError('it leads out of the project')
    const enter = isOwn
      ? [`d=${remotePath(directory)}; mkdir -p "$d" && cd "$d" || exit ${failed}`]
      : [`cd ${shellQuoted(project)} || exit ${absent}`, ...names.map((name) => `into ${shellQuoted(`./${name}`)}`)]
    this.#living.add(id)
    const script = [
      'umask 077; LC_ALL=C',
      this.#notes,
      `mkdir -p "$notes" && [ -O "$notes" ] || exit ${failed}`,
      this.#sweep(),
      `into() { [ ! -L "$1" ] || exit ${notPlain}; new=; [ -d "$1" ] || { mkdir "$1" && new=yes; }; cd "$1" || exit ${failed}; }`,
      ...enter,
      `[ -O . ] || exit ${outside}`,
      `case $(ls -ld .) in ?????w*|????????w*) exit ${outside} ;; esac`,
      `[ -z "$new" ] || printf '*\\n' >.gitignore`,
      `f=$(pwd -P)/${shellQuoted(file)}`,
      `printf '%s\\n' "$f" >"$notes"/${id} || exit ${failed}`,
      `rm -f "$f" && set -C && printf '%b' ${printfText(Buffer.from(text))} >"$f" || exit ${failed}`,
      `printf '%s' "$f"`,
    ].join('\n')
    try {
      const { status, output } = await this.#scripts.run(`new=\n${script}`)
      if (status !== 0) throw new MachineError(problemOf(status))
      return { path: output.toString('utf8'), remove: () => this.#remove(id) }
    } catch (error) {
      this.#remove(id)
      throw error
    }
  }

  /** Removes files that no process of this daemon uses; another daemon may have left them. */
  async sweep(): Promise<void> {
    await this.#scripts.run(`${this.#notes}\n${this.#sweep()}`)
  }

  /** If the machine cannot be reached, the file is removed when the next file is written, or by the next daemon. */
  #remove(id: string): void {
    if (this.#living.delete(id)) this.#removing = this.sweep().catch(() => {})
  }

  /** Settles when all pending removals are done. */
  removed(): Promise<unknown> {
    return this.#removing
  }

  get #notes(): string {
    const name = `files-${this.#tag}`
    return `notes=\${XDG_CACHE_HOME:-$HOME/.cache}/iris/${name}; [ -w "\${notes%/*}" ] || notes=\${TMPDIR:-/tmp}/iris-$(id -u)/${name}`
  }

  #sweep(): string {
    const living = [...this.#living].join('|')
    return `for note in "$notes"/*; do
        [ -f "$note" ] && [ -O "$note" ] || continue
        ${living === '' ? '' : `case \${note##*/} in ${living}) continue ;; esac`}
        IFS= read -r old <"$note" && rm -f -- "$old"; rm -f -- "$note"
      done`
  }
}

function problemOf(status: number): string {
  if (status === notPlain) return 'part of its path is a link'
  if (status === outside) return 'others may write to it'
  return status === absent ? 'the project is not there' : 'it cannot be created there'
}
