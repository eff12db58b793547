import { isAbsolute, join } from 'node:path'
import { z } from 'zod'
import { path } from './fields.ts'

/** The share of an account's limit at which its messages start to wait. */
export const limitShare = z.number().min(0.1).max(1).describe('a number from 0.1 to 1')

/** The login of a team's Claude Code, if it differs from that of the user who runs Iris. */
export const account = z
  .strictObject({
    configDirectory: path.optional(),
    tokenFile: path.optional(),
    limitAt: limitShare.optional(),
    mayContinue: z.boolean().default(false).describe('true or false'),
  })
  .refine(({ configDirectory, tokenFile }) => (configDirectory === undefined) !== (tokenFile === undefined), {
    error: 'needs configDirectory or tokenFile, and not both',
  })
  .describe('a mapping with configDirectory or tokenFile, and mayContinue and limitAt')
export type Account = z.output<typeof account>

/** Each of these variables decides which login a process uses. */
export const loginVariables = [
  'CLAUDE_CONFIG_DIR',
  'CLAUDE_CODE_OAUTH_TOKEN',
  'ANTHROPIC_API_KEY',
  'ANTHROPIC_AUTH_TOKEN',
] as const

/** Empties these variables, because a login in the environment would override the account's. */
export const withoutOthers = { ANTHROPIC_API_KEY: '', ANTHROPIC_AUTH_TOKEN: '', CLAUDE_CODE_OAUTH_TOKEN: '' }

/**
 * The account that a team names, otherwise its host's account. Teams on another machine or with a login in `env` do not
 * use the host's account.
 */
export function accountOfTeam(
  {
    account: own,
    remote,
    env,
  }: { account?: Account | undefined; remote?: unknown; env: Readonly<Record<string, string>> },
  ofHost: Account | undefined,
): Account | undefined {
  if (own !== undefined || remote !== undefined) return own
  return loginVariables.some((variable) => variable in env) ? undefined : ofHost
}

/** Normalizes the account's path, because the same path may be written in several ways. */
export function withWholePaths(
  { configDirectory, tokenFile, ...rest }: Account,
  directoryAt: (path: string) => string,
  fileAt: (path: string) => string,
): Account {
  return {
    ...rest,
    ...(configDirectory !== undefined && { configDirectory: join(directoryAt(configDirectory), '.') }),
    ...(tokenFile !== undefined && { tokenFile: fileAt(tokenFile) }),
  }
}

/** The variables that give a process this account. The token is read when a process starts. */
export function accountVariables(account: Account | undefined): Readonly<Record<string, string>> {
  if (account === undefined) return {}
  const { configDirectory } = account
  return { ...withoutOthers, ...(configDirectory !== undefined && { CLAUDE_CONFIG_DIR: configDirectory }) }
}

/** A label that distinguishes accounts; empty for the account of the user who runs Iris. */
export function accountLabel(account: Pick<Account, 'configDirectory' | 'tokenFile'> | undefined): string {
  return account?.configDirectory ?? account?.tokenFile ?? ''
}

/**
 * Whether a stored label means the same account as this one. An earlier Iris stored the path as written: with `~/`, or
 * relative.
 */
export function isWrittenForm(stored: string, label: string): boolean {
  return stored !== '' && !isAbsolute(stored) && label.endsWith(`/${stored.replace(/^(~|\.)\//, '')}`)
}
