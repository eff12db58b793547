import { gitSeconds } from '../machine/file-problem.ts'
import type { Commit, FileState, FileStates } from '../machine/machine.ts'
import { MachineError } from '../machine/machine-error.ts'
import { scriptEnds } from './remote-script.ts'
import type { Scripts } from './remote-tree.ts'
import { shellQuoted } from './shell-words.ts'

/** Disables files and programs that a repository may configure, as far as settings can. */
const settings = [
  'core.attributesFile=/dev/null',
  'core.excludesFile=/dev/null',
  'core.fsmonitor=false',
  'core.hooksPath=/dev/null',
  'core.bigFileThreshold=16m',
  'core.packedGitWindowSize=32m',
  'core.packedGitLimit=256m',
  'diff.autoRefreshIndex=false',
]

/** A shell function `g` that runs git with a time limit, and without programs that the repository configures. */
export const gitFunction = `
    ulimit -v ${1024 * 1024}
    export HOME=/nonexistent GIT_CONFIG_NOSYSTEM=1 GIT_CONFIG_GLOBAL=/dev/null GIT_ALLOW_PROTOCOL=none GIT_NO_LAZY_FETCH=1
    export GIT_TERMINAL_PROMPT=0 GIT_CONFIG_COUNT=0
    if command -v timeout >/dev/null; then bounded() { timeout -s KILL ${gitSeconds} "$@"; }
    elif command -v perl >/dev/null; then bounded() { perl -e 'alarm shift; exec @ARGV' ${gitSeconds} "$@"; }
    else bounded() { "$@"; }; fi
    g() { bounded git --no-pager --no-optional-locks ${settings.map((setting) => `-c ${setting}`).join(' ')} "$@"; }`

/** A larger file is identified by its size and modification time instead of a hash. */
const maxHashed = 8 * 1024 * 1024

/**
 * Prints one line for HEAD, then one for each file: its hash, a tab, and its name; an empty line if it is not a
 * readable file.
 */
export async function remoteFileStates(
  scripts: Scripts,
  directory: string,
  names: readonly string[],
): Promise<FileStates> {
  const script = `
    cd ${shellQuoted(directory)} || exit ${scriptEnds.absent}
    top=$(pwd -P)
    state() {
      [ -f "$1" ] && [ -r "$1" ] || return 1
      f=$1
      [ -L "$f" ] && { f=$(readlink -f "$f") || return 1; }
      case $f in */*) at=\${f%/*} ;; *) at=. ;; esac
      inner=$(cd "\${at:-/}" && pwd -P) || return 1
      case "$inner/" in "$top"/*) ;; *) return 1 ;; esac
      name=\${inner#"$top"}/\${f##*/}
      case $name in *"
"*) return 1 ;; esac
      size=$(wc -c <"$f") || return 1
      if [ "$size" -gt ${maxHashed} ]; then sum="$size $(ls -ldn -- "$f" | cut -c 11-)"; else sum=$(cksum <"$f") || return 1; fi
      printf '%s\\t%s\\n' "$(printf '%s' "$sum" | tr '\\t\\n' '  ')" "\${name#/}"
    }
    ( ${gitFunction}
      g rev-parse --verify --quiet HEAD ) 2>/dev/null || echo
    for one in ${names.map((name) => shellQuoted(name.startsWith('/') ? name : `./${name}`)).join(' ')}; do
      state "$one" 2>/dev/null || echo
    done`
  const maxBytes = 1000 + names.length * 5000
  const { status, output } = await scripts.run(script, { mostBytes: maxBytes, timeoutMs: 4 * gitSeconds * 1000 })
  const [head = '', ...lines] = output.toString('utf8').split('\n')
  if (status !== 0 || lines.length < names.length) throw new MachineError('the files of the project cannot be read')
  return {
    head: isCommitId(head) ? head : undefined,
    files: names.map((_name, index) => fileState(lines[index]!)),
  }
}

function fileState(line: string): FileState | undefined {
  const [hash, name] = line.split('\t', 2)
  return hash && name ? { hash: hash.slice(0, 100), name } : undefined
}

export async function remoteLastCommit(
  scripts: Scripts,
  directory: string,
  name: string,
  since: string,
): Promise<Commit | undefined> {
  if (!isCommitId(since)) return undefined
  const script = `
    cd ${shellQuoted(directory)} || exit ${scriptEnds.absent}
    ${gitFunction}
    g merge-base --is-ancestor ${since} HEAD 2>/dev/null || exit 0
    g -c log.showSignature=false -c log.follow=false --literal-pathspecs log --max-count=1 --no-mailmap --format=%H%n%an \
      ${since}..HEAD -- ${shellQuoted(name)}`
  const { status, output } = await scripts.run(script, { mostBytes: 10_000, timeoutMs: 2 * gitSeconds * 1000 })
  const [id = '', author = ''] = output.toString('utf8').split('\n')
  return status === 0 && isCommitId(id) ? { id, author: author.slice(0, 200) } : undefined
}

function isCommitId(text: string): boolean {
  return /^[0-9a-f]{40,64}$/.test(text)
}
