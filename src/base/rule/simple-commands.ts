/**
 * The simple commands of a shell command, each with its words as they are written and one space between them. Undefined
 * when any of it is not understood for certain: what could run something else, name another file than it seems to, or
 * read differently in bash and zsh. Then nothing but a rule for the whole text can cover it.
 */
export function simpleCommands(text: string): readonly string[] | undefined {
  if (text.length > longestText || /[^\P{C}\n\t]|[^\P{Z} ]/u.test(text)) return undefined
  const commands: string[][] = [[]]
  let rest = text
  while (rest !== '') {
    const [token, kind] = nextToken(rest)
    if (kind === 'unclear') return undefined
    rest = rest.slice(token.length)
    if (kind === 'word') commands.at(-1)!.push(token)
    if (kind === 'operator') {
      // Nothing may stand before `;`, but a line may be empty.
      if (commands.at(-1)!.length > 0) commands.push([])
      else if (!token.startsWith('\n')) return undefined
      if (/^(?:&&|\|)/.test(token) && /^[ \t\n]*$/.test(rest)) return undefined
    }
  }
  const written = commands.filter((words) => words.length > 0)
  return written.length > 0 && written.every(isPlain) ? written.map((words) => words.join(' ')) : undefined
}

/** Without what a shell skips at both ends: no more than that, since other blanks are letters to it. */
export function trimmed(command: string): string {
  return command.replace(/^[ \t\n]+|[ \t\n]+$/g, '')
}

/** Longer than anybody reads. */
const longestText = 20_000

type Kind = 'word' | 'operator' | 'blank' | 'unclear'

const endOfWord = '(?=[ \\t\\n;&|]|$)'
const blank = /^[ \t]+/
/** Without `&`: what goes on in the background outlives what was looked at. */
const operator = /^(?:&&|\|\||\||;|\n+)/
/** They lead to no file, or to none that keeps anything. */
const harmlessRedirection = new RegExp(
  `^(?:[012]?>>?[ \\t]*/dev/null|&>[ \\t]*/dev/null|[12]?>&[12]|<[ \\t]*/dev/null)${endOfWord}`,
)
/** Quotes in which nothing is replaced, an escaped character, and what means nothing to any shell. */
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

/** Begins with the name of a command, and not with a variable, a word of files, or a word of the shell's own grammar. */
function isPlain([first = '']: readonly string[]): boolean {
  return !reserved.has(first) && !/[*?[]/.test(first) && !/^[A-Za-z_]\w*(?:\[.*\])?\+?=/.test(first)
}
