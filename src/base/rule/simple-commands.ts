/**
 * Splits a shell command into simple commands; each has its words as written, joined by one space. Undefined if the
 * effect of some part is not certain: it could run something else, name a different file than it seems to, or differ
 * between bash and zsh. Then only a rule for the whole text can cover the command.
 */
export function simpleCommands(text: string): readonly string[] | undefined {
  if (text.length > maxCommandCharacters || unusualCharacter.test(text)) return undefined
  const commands: string[][] = [[]]
  let rest = text
  while (rest !== '') {
    const [token, kind] = nextToken(rest)
    if (kind === 'unclear') return undefined
    rest = rest.slice(token.length)
    if (kind === 'word') commands.at(-1)!.push(token)
    if (kind === 'operator') {
      // An operator needs a command before it, but a line may be empty.
      if (commands.at(-1)!.length > 0) commands.push([])
      else if (!token.startsWith('\n')) return undefined
      // `&&`, `||` and `|` need a command after them too.
      if (/^(?:&&|\|)/.test(token) && /^[ \t\n]*$/.test(rest)) return undefined
    }
  }
  const written = commands.filter((words) => words.length > 0)
  return written.length > 0 && written.every(isPlain) ? written.map((words) => words.join(' ')) : undefined
}

/** Trims only what a shell skips at both ends; to a shell, other blanks are ordinary characters. */
export function trimmed(command: string): string {
  return command.replace(/^[ \t\n]+|[ \t\n]+$/g, '')
}

/** A person could not check a longer command. */
const maxCommandCharacters = 20_000
/** An invisible character other than line break and tab, or a separator other than the ordinary blank. */
const unusualCharacter = /[^\P{C}\n\t]|[^\P{Z} ]/u

type Kind = 'word' | 'operator' | 'blank' | 'unclear'

const endOfWord = '(?=[ \\t\\n;&|]|$)'
const blank = /^[ \t]+/
/** Not `&`: a background command outlives the tool use that was checked. */
const operator = /^(?:&&|\|\||\||;|\n+)/
/** Redirections to or from /dev/null, and between standard output and standard error. They count as blanks. */
const harmlessRedirection = new RegExp(
  `^(?:[012]?>>?[ \\t]*/dev/null|&>[ \\t]*/dev/null|[12]?>&[12]|<[ \\t]*/dev/null)${endOfWord}`,
)
/**
 * A word consists of quoted texts without expansion, escaped characters, and characters that start no shell syntax;
 * globs are allowed. `#` starts a comment only at the beginning of a word.
 */
const word = new RegExp(
  `^(?:'[^']*'|"(?:[^"$\`\\\\!]|\\\\["\\\\])*"|\\\\[^\\n]|[^\\s'"\\\\$\`;&|<>(){}#]|(?<!^)#)+${endOfWord}`,
  'u',
)

function nextToken(rest: string): readonly [string, Kind] {
  const kinds = [
    [blank, 'blank'],
    [harmlessRedirection, 'blank'],
    [operator, 'operator'],
    [word, 'word'],
  ] as const
  for (const [expression, kind] of kinds) {
    const token = expression.exec(rest)?.[0]
    if (token !== undefined) return [token, kind]
  }
  return ['', 'unclear']
}

const reserved = new Set(
  'if then else elif fi for while until do done case esac in select function time coproc repeat foreach end nocorrect noglob ! [['.split(
    ' ',
  ),
)

/** Whether the first word is the name of a command: no assignment, no glob and no reserved word of a shell. */
function isPlain([first = '']: readonly string[]): boolean {
  return !reserved.has(first) && !/[*?[]/.test(first) && !/^[A-Za-z_]\w*(?:\[.*\])?\+?=/.test(first)
}
