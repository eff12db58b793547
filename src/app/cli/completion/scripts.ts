/** Each script asks `iris __complete`, which knows the table of commands and the current teams. */
export const completionScripts = {
  bash: `_iris() {
  local line
  COMPREPLY=()
  while IFS= read -r line; do COMPREPLY+=("$line"); done < <(iris __complete "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
}
complete -o default -F _iris iris
`,
  zsh: `#compdef iris
_iris() {
  local -a found
  found=(\${(f)"$(iris __complete "\${(@)words[2,CURRENT]}" 2>/dev/null)"})
  compadd -a found || _files
}
if [ "\${funcstack[1]}" = "_iris" ]; then _iris "$@"; else
  (( $+functions[compdef] )) || { autoload -Uz compinit && compinit; }
  compdef _iris iris
fi
`,
  fish: `function __iris_complete
  set -l found (iris __complete (commandline -opc)[2..-1] (commandline -ct) 2>/dev/null)
  if set -q found[1]
    printf '%s\\n' $found
  else
    __fish_complete_path (commandline -ct)
  end
end
complete -c iris -f -a '(__iris_complete)'
`,
} as const

export type Shell = keyof typeof completionScripts

/** How a person loads the script. */
export const howToLoad: Readonly<Record<Shell, string>> = {
  bash: `echo 'eval "$(iris completion bash)"' >> ~/.bashrc`,
  zsh: `echo 'eval "$(iris completion zsh)"' >> ~/.zshrc`,
  fish: 'mkdir -p ~/.config/fish/completions; iris completion fish > ~/.config/fish/completions/iris.fish',
}
