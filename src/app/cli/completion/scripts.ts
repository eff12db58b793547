/**
 * Each script asks `iris __complete`, which knows the table of commands and the names of teams, threads and messages. `command` is
 * how the shell calls this Iris. It is never the word that was typed: Tab must not run the `./iris` of some directory.
 */
const scripts = {
  bash: (command: string) => `_iris() {
  local line
  COMPREPLY=()
  while IFS= read -r line; do COMPREPLY+=("$line"); done < <(${command} __complete "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
}
complete -o default -F _iris iris
`,
  zsh: (command: string) => `#compdef iris
_iris() {
  local -a found
  found=(\${(f)"$(${command} __complete "\${(@)words[2,CURRENT]}" 2>/dev/null)"})
  compadd -a found || _files
}
if [ "\${funcstack[1]}" = "_iris" ]; then _iris "$@"; else
  (( $+functions[compdef] )) || { autoload -Uz compinit && compinit; }
  compdef _iris iris
fi
`,
  fish: (command: string) => `function __iris_complete
  set -l found (${command} __complete (commandline -opc)[2..-1] (commandline -ct) 2>/dev/null)
  if set -q found[1]
    printf '%s\\n' $found
  else
    __fish_complete_path (commandline -ct)
  end
end
complete -c iris -f -a '(__iris_complete)'
`,
} as const

export type Shell = keyof typeof scripts

export const shells = Object.keys(scripts) as readonly Shell[]

export function completionScript(shell: Shell, command: string): string {
  return scripts[shell](command)
}

/** The line that the shell reads at each start; it prints nothing if Iris is gone. */
export function loadingLine(shell: Exclude<Shell, 'fish'>, command: string): string {
  return `eval "$(${command} completion ${shell} 2>/dev/null)" # iris completion`
}
