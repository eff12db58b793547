/** A code block; its content does not count as text. */
const codeBlock = /^[ \t]*(```+(?!`)|~~~+(?!~))[^\n]*\n[\s\S]*?(?:^[ \t]*\1[^\n]*$|$(?![\s\S]))/gm
const indentedCode = /(?<=^|\n[ \t]*\n)(?: {4}|\t)[^\n]*/g
/** Bounded, like the tags below: otherwise each beginning without an end would make the search scan the whole file. */
const codeSpan = /(?<!`)(`{1,20})(?!`)[\s\S]{0,2000}?[^`]\1(?!`)/g
const comment = /<!--(?:(?!<!--)[\s\S])*?-->/g
/** Claude Code looks at the rendered text of Markdown, which does not contain these characters. */
const marks = /\*+|~~|<\/?[a-z][^<>\n]*>/gi
const imported = /(?:^|(?<=\s))@((?:\\ |[^\s\\])+)/gm

/** Only a path that matches this certainly means a file, unlike `@param`, `@types/node` and people's names. */
const isFile = /^(?:\.{1,2}\/|~\/|\/)[^\s]|\.(?:md|mdx|markdown|txt)$/i

const maxPath = 4096

/** A path that a file of instructions imports. */
export interface Import {
  /** The path as Claude Code reads it, including punctuation after it. */
  readonly path: string
  /** The path as intended, without that punctuation. */
  readonly meant: string
}

/**
 * The imports (`@path`) in an instructions file (CLAUDE.md), except those in code and comments. Returns only paths that
 * certainly mean a file.
 */
export function importsIn(text: string): readonly Import[] {
  const prose = [codeBlock, indentedCode, comment, codeSpan].reduce((left, each) => left.replaceAll(each, ''), text)
  const paths = [...prose.replaceAll(marks, ' ').matchAll(imported)].map(([, path = '']) =>
    path.replaceAll('\\ ', ' ').replace(/#.*$/, ''),
  )
  return [...new Set(paths)].flatMap((path) => {
    if (path.length > maxPath) return []
    const meant = path.replace(/[^\p{L}\p{N}/]+$/u, '')
    return isFile.test(meant) ? [{ path, meant }] : []
  })
}
