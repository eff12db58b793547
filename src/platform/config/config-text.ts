import { constants, type Stats } from 'node:fs'
import { type FileHandle, lstat, open } from 'node:fs/promises'
import type { ProblemList } from './problem-list.ts'

export const mostBytes = 1_048_576

/**
 * The text of config.yaml, or null if there is none. Reports a file that someone else could have written, one that
 * cannot be read (undefined then), and one that is no text.
 */
export async function readConfigText(
  file: string,
  uid: number | undefined,
  problems: ProblemList,
): Promise<string | null | undefined> {
  try {
    // Without O_NONBLOCK a named pipe would keep us waiting for its writer.
    await using handle = await open(file, constants.O_RDONLY | constants.O_NONBLOCK)
    return await readChecked(handle, file, uid, problems)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT' && !(await isLink(file))) return null
    const problem =
      code === 'ENOENT' ? 'the file is a link to nothing' : `the file cannot be read (${code ?? 'unknown'})`
    problems.add([], { problem, remedy: `See why with: ls -l ${shellWord(file)}` }, null)
    return undefined
  }
}

/** A link to nothing is no absent file: all teams would vanish with a disk that is not mounted. */
async function isLink(file: string): Promise<boolean> {
  return lstat(file).then(
    (stat) => stat.isSymbolicLink(),
    () => false,
  )
}

async function readChecked(handle: FileHandle, file: string, uid: number | undefined, problems: ProblemList) {
  const stat = await handle.stat()
  if (!stat.isFile()) {
    const remedy = 'Move it away and write a file in its place.'
    problems.add([], { problem: 'config.yaml is not a file', remedy }, null)
    return undefined
  }
  if (uid !== undefined) checkSafe(stat, file, uid, problems)
  if (stat.size > mostBytes) {
    reportTooLarge(problems)
    return undefined
  }
  return decoded(await handle.readFile(), problems)
}

export function reportTooLarge(problems: ProblemList): void {
  const remedy = 'Remove what is not configuration.'
  problems.add([], { problem: `the file is larger than ${mostBytes} bytes`, remedy }, null)
}

/** Whoever can write this file chooses what runs as the user. */
function checkSafe(stat: Stats, file: string, uid: number, problems: ProblemList): void {
  if (stat.uid !== uid) {
    const problem = `the file belongs to another user (user id ${stat.uid}, yours is ${uid})`
    const remedy = `Look through it, then make it yours: sudo chown ${uid} ${shellWord(file)}`
    problems.add([], { problem, allowed: 'a file of your own', remedy }, null)
  }
  if ((stat.mode & 0o022) !== 0) {
    const problem = `others can write to the file (mode ${(stat.mode & 0o777).toString(8)})`
    const remedy = `Run: chmod go-w ${shellWord(file)}`
    problems.add([], { problem, allowed: 'a file that only you can write to', remedy }, null)
  }
}

function decoded(bytes: Buffer, problems: ProblemList): string | undefined {
  try {
    // A mark at the beginning stays, for whoever writes the text back.
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    problems.add([], { problem: 'the file is not text in UTF-8', remedy: 'Save it as UTF-8.' }, null)
    return undefined
  }
}

function shellWord(text: string): string {
  return /^[\w./@-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`
}
