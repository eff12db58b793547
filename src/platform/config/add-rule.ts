import { readFile, realpath } from 'node:fs/promises'
import { IrisError } from '../../base/protocol/error.ts'
import { shown } from './problem.ts'
import { replaceText } from './replace-text.ts'
import { type RuleOfTeam, withRule } from './rule-in-text.ts'

export interface NewRule extends RuleOfTeam {
  /** config.yaml, absolute. */
  readonly file: string
}

const mostTries = 5

/**
 * Writes one more rule of a team into config.yaml; it is in force when the file has been read again. Throws
 * `config_invalid` where that cannot be done: the file is as it was then.
 */
export async function addRule({ file, ...rule }: NewRule): Promise<void> {
  try {
    // A link stays one.
    const target = await realpath(file)
    for (let tries = 0; tries < mostTries; tries++) {
      if (await replaced(target, rule)) return
    }
  } catch (error) {
    throw notWritten(
      file,
      rule,
      error instanceof Unwritable ? error.message : `(${(error as NodeJS.ErrnoException).code})`,
    )
  }
  throw notWritten(file, rule, 'because somebody else keeps changing it')
}

class Unwritable extends Error {}

/** False when the file has changed meanwhile. */
async function replaced(target: string, rule: RuleOfTeam): Promise<boolean> {
  const before = await readFile(target, 'utf8')
  const after = withRule(before, rule)
  if (after === undefined) {
    throw new Unwritable(
      'because it is no YAML, has no such team any more, or says these rules in another place (an anchor)',
    )
  }
  if (after === before) return true
  return replaceText(target, before, after)
}

function notWritten(file: string, { team, list, rule }: RuleOfTeam, why: string): IrisError {
  const place = `teams.${team}.permissions.${list}`
  return new IrisError(
    'config_invalid',
    `The rule could not be written into ${file} ${why}.`,
    `Add it by hand, under ${shown(place)}: ${shown(rule)}`,
  )
}
