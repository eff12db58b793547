import { realpathSync } from 'node:fs'
import { basename, join } from 'node:path'
import { plainFile } from '../../../base/lib/plain-file.ts'
import { cutLine, plainLine } from '../../../base/lib/plain-line.ts'
import { isInside } from '../../../platform/config/is-inside.ts'

const maxDescription = 200

/** A team's name from its directory; dashes replace characters that a name may not have. */
export function guessName(directory: string): string {
  return basename(directory)
    .replace(/[^A-Za-z0-9._@-]+/g, '-')
    .replace(/^[^A-Za-z0-9]+/, '')
    .slice(0, 100)
}

/**
 * A project's description: the first sentence of CLAUDE.md or a README, or else the one in package.json; undefined if
 * there is none.
 */
export function guessDescription(directory: string): string | undefined {
  for (const name of ['CLAUDE.md', 'README.md', 'README', 'readme.md']) {
    const found = firstSentence(textOf(directory, name))
    if (found !== undefined) return found
  }
  try {
    const { description } = JSON.parse(textOf(directory, 'package.json')) as { description?: unknown }
    return typeof description === 'string' && description.trim() !== ''
      ? cutLine(description, maxDescription)
      : undefined
  } catch {
    return undefined
  }
}

/** Other teams read descriptions, so a link in the project must not bring in a file from outside. */
function textOf(directory: string, name: string): string {
  try {
    const path = realpathSync(join(directory, name))
    return isInside(realpathSync(directory), path) ? plainFile(path) : ''
  } catch {
    return ''
  }
}

/** The first sentence of the first paragraph of prose: no heading, list, quote, picture, table, mark-up or code. */
function firstSentence(text: string): string | undefined {
  const paragraphs = text
    .replace(/^---\n[\s\S]*?\n---\n/, '')
    .replace(/```[\s\S]*?(```|$)/g, '')
    .split(/\n\s*\n/)
    .map((paragraph) => paragraph.replace(/^#.*$/gm, '').trim())
  const prose = paragraphs.find((paragraph) => /^[\p{L}\p{N}`*_"(]/u.test(paragraph) && !/^[*-] /.test(paragraph))
  if (prose === undefined) return undefined
  const line = plainLine(prose, Number.POSITIVE_INFINITY)
  return cutLine(/^.*?[.!?](?=\s|$)/.exec(line)?.[0] ?? line, maxDescription)
}
