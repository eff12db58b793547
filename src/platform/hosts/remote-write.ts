import { randomUUID } from 'node:crypto'
import { problemText } from '../machine/file-problem.ts'
import type { FileProblem } from '../machine/helper-protocol.ts'
import type { Written } from '../machine/machine.ts'
import { followLink, printfText, scriptEnds } from './remote-script.ts'
import type { Scripts } from './remote-tree.ts'
import { shellQuoted } from './shell-words.ts'

const { absent, notPlain, exists, outside, failed } = scriptEnds
const pieceBytes = 16 * 1024

interface Writing {
  readonly name: string
  readonly text: string
  readonly was: string | undefined
}

const problems: Readonly<Record<number, FileProblem>> = { [outside]: 'outside', [notPlain]: 'no-file' }

/**
 * Writes a text file of the project: sends the new text and the expected old text, compares the old text there, and
 * replaces the file.
 */
export async function remoteWriteText(
  scripts: Scripts,
  directory: string,
  { name, text, was }: Writing,
): Promise<Written> {
  const id = randomUUID()
  const [half, held] = [`.${id}.half`, `.${id}.was`]
  const run = (script: string) => scripts.run(`umask 022; cd ${shellQuoted(directory)} || exit ${absent}\n${script}`)
  const send = async (file: string, content: string): Promise<number> => {
    const bytes = Buffer.from(content)
    let { status } = await run(`set -C; : >${file}`)
    for (let from = 0; status === 0 && from < bytes.length; from += pieceBytes) {
      const piece = printfText(bytes.subarray(from, from + pieceBytes))
      status = (await run(`printf '%b' ${piece} >>${file}`)).status
    }
    return status
  }
  const replace = `
    f=${shellQuoted(`./${name}`)}; [ -e "$f" ] || exit ${exists}; [ -f "$f" ] || exit ${notPlain}${followLink()}
    cmp -s ${held} "$f" || exit ${exists}
    cp -p "$f" ${half}.mode && cat ${half} >${half}.mode && mv -f ${half}.mode "$f" || exit ${failed}`
  const create = `
    f=${shellQuoted(`./${name}`)}; [ -e "$f" ] || [ -L "$f" ] && exit ${exists}
    ln ${half} "$f" || exit ${exists}`
  try {
    const sent = (await send(half, text)) || (was === undefined ? 0 : await send(held, was))
    const status = sent || (await run(was === undefined ? create : replace)).status
    if (status === 0) return { kind: 'written' }
    if (status === exists) return { kind: 'changed' }
    return { kind: 'unusable', problem: problemText(problems[status] ?? 'unwritable') }
  } finally {
    await run(`rm -f ${half} ${half}.mode ${held}`).catch(() => {})
  }
}
