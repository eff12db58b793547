import { randomUUID } from 'node:crypto'
import { readFile, realpath, rename, rm, stat, writeFile } from 'node:fs/promises'
import { isMap, isSeq, parseDocument } from 'yaml'
import { IrisError } from '../protocol/error.ts'

export interface NewRule {
  /** config.yaml, absolute. */
  readonly file: string
  readonly team: string
  readonly list: 'allow' | 'deny'
  readonly rule: string
}

/** Writes one more rule of a team into config.yaml. Throws `config_invalid` where that cannot be done. */
export async function addRule({ file, team, list, rule }: NewRule): Promise<void> {
  // Behind a link: it stays one.
  const target = await realpath(file)
  const text = await readFile(target, 'utf8')
  const { mode } = await stat(target)
  const document = parseDocument(text, { stringKeys: true, uniqueKeys: false })
  const way = ['teams', team, 'permissions', list]
  if (document.errors.length > 0 || !isMap(document.getIn(['teams', team]))) {
    throw new IrisError('config_invalid', `The rule cannot be written into ${file}.`, `Add it by hand: ${rule}`)
  }
  const rules = document.getIn(way)
  if (isSeq(rules)) rules.add(rule)
  else document.setIn(way, [rule])
  const temporary = `${target}.${randomUUID()}`
  try {
    await writeFile(temporary, document.toString(), { mode: mode & 0o777, flag: 'wx' })
    await rename(temporary, target)
  } finally {
    await rm(temporary, { force: true })
  }
}
