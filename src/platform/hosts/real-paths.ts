import { below } from '../../base/rule/tool-use.ts'
import { remotePath } from './remote-script.ts'
import type { Scripts } from './remote-tree.ts'

/** Milliseconds; short, because a tool is waiting for the answer. */
const patienceMs = 5000
const maxPath = 4096

/**
 * Prints where the path in $1 leads, with links resolved. A part that does not exist yet is appended to the existing
 * part. `x` protects a line break at the end of a name.
 */
const real = `real() {
  p=$1 rest= left=40
  while :; do
    if [ -L "$p" ]; then
      left=$((left - 1)); [ "$left" -gt 0 ] || return 1
      t=$(readlink "$p" && printf x) || return 1
      t=\${t%?x}; case $t in /*) p=$t ;; *) p=\${p%/*}/$t ;; esac
    elif [ -d "$p" ]; then
      d=$(cd -P "$p" && pwd -P && printf x) || return 1
      d=\${d%?x}; [ "$d" != / ] || [ -z "$rest" ] || d=
      printf '%s\\000' "$d$rest"; return
    else
      case $p in */ | */. | */..) return 1 ;; esac
      rest=/\${p##*/}$rest p=\${p%/*}; [ -n "$p" ] || p=/
    fi
  done
}`

/**
 * Resolves paths of another machine in one round trip; the result lacks paths that could not be resolved. `bases` are
 * the paths at which rules begin. A path below a base is returned with the base in the spelling of config.yaml, so that
 * rules match.
 */
export async function realPathsThere(
  scripts: Scripts,
  paths: readonly string[],
  bases: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const asked = [...bases, ...paths]
  const words = asked.map((path) => remotePath(path)).join(' ')
  const script = `${real}\nfor path in ${words}; do real "$path" || printf '\\000'; done`
  const limits = { timeoutMs: patienceMs, mostBytes: asked.length * maxPath }
  const { output } = await scripts.run(script, limits)
  const found = output.toString('utf8').split('\0')
  const realBases = bases.map((base, index) => [base, found[index] ?? ''] as const)
  const known = new Map<string, string>()
  for (const [index, path] of paths.entries()) {
    const leadsTo = found[bases.length + index]
    if (leadsTo?.startsWith('/')) known.set(path, renamed(leadsTo, realBases))
  }
  return known
}

function renamed(path: string, bases: readonly (readonly [named: string, real: string])[]): string {
  for (const [named, base] of bases) {
    const way = base.startsWith('/') ? below(base, path) : undefined
    if (way !== undefined) return way === '' ? named : `${named === '/' ? '' : named}/${way}`
  }
  return path
}
