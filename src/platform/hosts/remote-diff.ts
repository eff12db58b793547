import { diffProblemTexts, gitSeconds } from '../machine/file-problem.ts'
import type { FoundDiff } from '../machine/machine.ts'
import { gitFunction } from './remote-git.ts'
import { scriptEnds } from './remote-script.ts'
import type { Scripts } from './remote-tree.ts'
import { shellQuoted } from './shell-words.ts'

const ends = { noGit: 51, noRepository: 52, elsewhere: 53, unreadableConfig: 54, noCommit: 55, slow: 56 } as const

const problems: Readonly<Record<number, string>> = {
  [scriptEnds.absent]: 'the project is not there',
  [ends.noGit]: diffProblemTexts['no-git'],
  [ends.noRepository]: diffProblemTexts['no-repository'],
  [ends.elsewhere]: diffProblemTexts.elsewhere,
  [ends.unreadableConfig]: diffProblemTexts['unreadable-config'],
  [ends.noCommit]: diffProblemTexts['no-commit'],
  [ends.slow]: diffProblemTexts.slow,
}

/**
 * The uncommitted changes in a project on another machine. git runs there with the rights of the team's agents, but
 * programs that the repository configures do not run. A filter is disabled with an empty setting, because git has no
 * option for that.
 */
export async function remoteGitDiff(scripts: Scripts, directory: string, mostBytes: number): Promise<FoundDiff> {
  const script = `
    cd ${shellQuoted(directory)} || exit ${scriptEnds.absent}
    command -v git >/dev/null || exit ${ends.noGit}
    ${gitFunction}
    top=$(g rev-parse --show-toplevel) || exit ${ends.noRepository}
    case $(pwd -P)/ in "$top"/*) ;; *) exit ${ends.elsewhere} ;; esac
    filters=$(g config --name-only --get-regexp '^filter\\.') || { [ $? -eq 1 ] || exit ${ends.unreadableConfig}; }
    n=0
    while IFS= read -r key; do
      case $key in
        *.clean | *.process | *.required)
          export "GIT_CONFIG_KEY_$n=$key" "GIT_CONFIG_VALUE_$n="
          n=$((n + 1)) ;;
      esac
    done <<IRIS_FILTERS
$filters
IRIS_FILTERS
    export GIT_CONFIG_COUNT=$n
    { g diff --no-ext-diff --no-textconv --no-color --submodule=short --ignore-submodules=dirty --relative HEAD --
      printf '\\n%s' $?; } | {
      # What git says last is its end, so that a diff that was cut shows it by lacking one.
      head -c ${mostBytes + 1}; }
    g rev-parse --verify --quiet HEAD >/dev/null || exit ${ends.noCommit}`
  const { status, output } = await scripts.run(script, {
    mostBytes: mostBytes + 4096,
    timeoutMs: 4 * gitSeconds * 1000,
  })
  const problem = problems[status]
  if (problem !== undefined) return { kind: 'none', problem }
  if (output.length > mostBytes) return { kind: 'diff', text: textOf(output.subarray(0, mostBytes)), isCut: true }
  const [, code] = /\n(\d+)$/.exec(output.toString('latin1')) ?? []
  if (status === 0 && (code === '137' || code === '142')) return { kind: 'none', problem: diffProblemTexts.slow }
  if (status !== 0 || code !== '0') return { kind: 'none', problem: diffProblemTexts.failed }
  return { kind: 'diff', text: textOf(output.subarray(0, output.length - code.length - 1)), isCut: false }
}

function textOf(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('utf8')
}
