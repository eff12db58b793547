import { constants } from 'node:fs'
import { open } from 'node:fs/promises'
import { isAbsolute, resolve } from 'node:path'
import { type Environment, expandTilde } from './home.ts'

/** The maximum size of a file with a token. */
const maxTokenBytes = 4096

export interface TokenPlace {
  readonly tokenFile?: string | undefined
  readonly tokenVariable?: string | undefined
}

/** A token, or a sentence that tells the owner why there is none. */
export type FoundToken = { readonly token: string } | { readonly problem: string }

/**
 * Reads a token from Iris's environment, or from a file that only the owner can read. `mostBytes`: the maximum size of
 * the file.
 */
export async function channelToken(
  { tokenFile, tokenVariable }: TokenPlace,
  home: string,
  env: Environment,
  mostBytes = maxTokenBytes,
): Promise<FoundToken> {
  if (tokenFile !== undefined) return fileToken(tokenFile, home, env, mostBytes)
  const token = env[tokenVariable ?? '']?.trim()
  return token ? { token } : { problem: `the environment of Iris has no variable ${tokenVariable}` }
}

async function fileToken(written: string, home: string, env: Environment, mostBytes: number): Promise<FoundToken> {
  const expanded = expandTilde(written, env)
  const path = isAbsolute(expanded) ? expanded : resolve(home, expanded)
  try {
    await using file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW)
    const { uid, mode, size } = await file.stat()
    if (process.getuid !== undefined && uid !== process.getuid())
      return { problem: `${written} belongs to another user` }
    if ((mode & 0o170_000) !== constants.S_IFREG || size > mostBytes) return { problem: `${written} contains no token` }
    if ((mode & 0o077) !== 0) return { problem: `others can read ${written}; run chmod 600 on it` }
    const token = (await file.readFile('utf8')).trim()
    return token === '' ? { problem: `${written} is empty` } : { token }
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT') return { problem: `token file not found: ${written}` }
    return { problem: code === 'ELOOP' ? `${written} is a link` : `${written} cannot be read (${code})` }
  }
}
