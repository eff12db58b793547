import { remotePath, scriptEnds } from './remote-script.ts'
import type { Scripts } from './remote-tree.ts'
import { shellQuoted } from './shell-words.ts'

/** Where Claude Code and other programs of a user are installed, apart from PATH. */
const usualPlaces = [
  '~/.local/bin',
  '~/.claude/local',
  '~/bin',
  '~/.npm-global/bin',
  '~/.bun/bin',
  '/usr/local/bin',
  '/opt/homebrew/bin',
  '/usr/bin',
]
/** An interactive shell reads files that a login shell does not, and may wait for input. */
const interactiveSeconds = 5

/**
 * Finds a program on that machine: by its path, in a login shell's PATH, in the usual places, in an interactive shell's
 * PATH.
 */
export async function findRemoteExecutable(scripts: Scripts, name: string): Promise<string | undefined> {
  const isPath = name.includes('/')
  const own = isPath ? remotePath(name) : ''
  const word = shellQuoted(name)
  const places = usualPlaces.map((place) => `${remotePath(place)}/${word}`).join(' ')
  // Each `say` ends the script if the program is there. A project's node_modules/.bin has only the package's stub,
  // without its binary. The interactive shell is killed after some seconds, and its output may contain more than the
  // path.
  const elsewhere = `
    p=$(command -v ${word}) && case "$p" in */node_modules/.bin/*) ;; /*) say "$p" ;; esac
    for p in ${places}; do say "$p"; done
    case "\${SHELL##*/}" in bash|zsh|ksh|fish) ;; *) exit ${scriptEnds.absent} ;; esac
    ${/^[\w.+-]+$/.test(name) ? '' : `exit ${scriptEnds.absent}`}
    found=$( { "$SHELL" -ic "command -v ${name}" & p=$!; ( sleep ${interactiveSeconds}; kill -9 $p ) >/dev/null & w=$!; wait $p; kill $w; } | grep '^/' | tail -n 1)
    [ -n "$found" ] && say "$found"`
  const script = `
    say() { [ -f "$1" ] && [ -x "$1" ] && { printf '%s\\n' "$1"; exit 0; }; }
    ${isPath ? `say ${own}` : elsewhere}
    exit ${scriptEnds.absent}`
  const { status, output } = await scripts.run(script, { mostBytes: 8192 })
  const path = output.toString('utf8').replace(/\n$/, '')
  return status === 0 && path.startsWith('/') && !/[\n\0]/.test(path) ? path : undefined
}
