import type { z } from 'zod'
import { durationIn } from '../../base/lib/duration.ts'
import { IrisError } from '../../base/protocol/error.ts'
import { knownTeam } from '../../kernel/accept/admission.ts'
import type { Call } from '../../kernel/call/call.ts'
import type { Config } from '../../platform/config/config.ts'
import { isLimited } from '../../platform/config/roles.ts'
import type { createToken, listTokens, revokeToken, rotateToken } from './contract.ts'
import type { Grant, MadeToken, Tokens } from './tokens.ts'

/** The dependencies of these operations. */
export interface TokenParts {
  readonly config: () => Config
  readonly tokens: Pick<Tokens, 'create' | 'list' | 'revoke' | 'rotate' | 'shared'>
  /** Teams of hosts with their own Iris. */
  readonly cluster: {
    readonly hosts: { resolve(name: string): string; hostOf(name: string): unknown; mustOffer(name: string): void }
  }
}

type In<Operation extends { input: z.ZodType }> = z.output<Operation['input']>
type Out<Operation extends { output: z.ZodType }> = z.output<Operation['output']>

const dayMs = 86_400_000
/** The longest time for which a token is valid, in milliseconds: first for a public address, then for this machine. */
const [maxPublicMs, maxMs] = [90 * dayMs, 3650 * dayMs]

/** create_token */
export function create(input: In<typeof createToken>, { auth }: Call, parts: TokenParts): Out<typeof createToken> {
  onlyInTerminal(auth)
  const { program, role, calls, public: isPublic = false } = input
  if (role !== undefined && !parts.config().roles.has(role)) {
    const known = [...parts.config().roles.keys()].join(', ')
    throw new IrisError(
      'not_found',
      `There is no role "${role}".`,
      `Roles: ${known}. To add one, define it under roles in config.yaml.`,
    )
  }
  const address = isPublic ? publicAddress(role, parts.config()) : undefined
  const lifetimeMs = lifetimeOf(input.expires, isPublic)
  const callbacks = input.callbacks === undefined ? undefined : callbacksOf(input.callbacks, parts.config())
  const grant: Grant = { teams: teamsOf(input.teams, parts), role, callbacks, calls, address, lifetimeMs }
  return shown(program, parts.tokens.create(program, grant))
}

/** list_tokens */
export function list({ tokens }: TokenParts): Out<typeof listTokens> {
  const { sharedUsedAt, sharedUsedBy } = tokens.shared
  return {
    tokens: tokens.list().map((token) => ({
      ...token,
      teams: [...token.teams],
      ...(token.callbacks && { callbacks: [...token.callbacks] }),
    })),
    ...(sharedUsedAt !== undefined && { sharedUsedAt }),
    ...(sharedUsedBy !== undefined && { sharedUsedBy }),
  }
}

/** rotate_token */
export function rotate(
  { program, now = false }: In<typeof rotateToken>,
  { auth }: Call,
  { tokens }: TokenParts,
): Out<typeof rotateToken> {
  onlyInTerminal(auth)
  return shown(program, tokens.rotate(program, now))
}

/** revoke_token */
export function revoke({ program }: In<typeof revokeToken>, { tokens }: TokenParts): Out<typeof revokeToken> {
  tokens.revoke(program)
  return { program, revoked: true }
}

/** Brief access to the owner's browser must not yield anything that outlives its login. */
function onlyInTerminal({ loginId }: Call['auth']): void {
  if (loginId === undefined) return
  throw new IrisError(
    'not_allowed',
    'A browser cannot make tokens.',
    'Run "iris token create" on the machine where Iris runs.',
  )
}

function teamsOf(named: string | readonly string[], { config, cluster: { hosts } }: TokenParts): string[] {
  const names = [named].flat().map((name) => hosts.resolve(name.trim()))
  for (const name of names) {
    if (hosts.hostOf(name) === undefined) knownTeam(name, config())
    else hosts.mustOffer(name)
  }
  return [...new Set(names)]
}

function callbacksOf(named: string | readonly string[], { callbacks }: Config): string[] {
  const names = [named].flat().map((name) => name.trim())
  const unknown = names.find((name) => !callbacks.has(name))
  if (unknown === undefined) return [...new Set(names)]
  const known = [...callbacks.keys()].join(', ') || 'none yet'
  const remedy = `There are: ${known}. Others go under callbacks.`
  throw new IrisError('not_found', `There is no callback ${JSON.stringify(unknown)}.`, remedy)
}

function publicAddress(role: string | undefined, { settings, roles }: Config): string {
  if (settings.publicUrl === undefined)
    throw new IrisError(
      'invalid_input',
      'There is no public address.',
      'Set settings.publicUrl, or leave --public out.',
    )
  const found = role === undefined ? undefined : roles.get(role)
  if (found !== undefined && isLimited(found)) return settings.publicUrl
  throw new IrisError(
    'invalid_input',
    'A token for the public address needs a role that allows less than its teams.',
    'Add --role, such as --role chat_bot.',
  )
}

function lifetimeOf(text: string | undefined, isPublic: boolean): number | undefined {
  const most = isPublic ? maxPublicMs : maxMs
  if (text === undefined) return isPublic ? most : undefined
  const ms = durationIn(text)
  if (ms >= 60_000 && ms <= most) return ms
  throw new IrisError(
    'invalid_input',
    `${JSON.stringify(text)} is not a time between 1m and ${most / dayMs}d.`,
    'Write it with a unit, such as 90d.',
  )
}

const atPublicAddress =
  'Iris cannot see which process sends a request there. An agent that finds this token, in a project or in a log, has the rights of this program.'

function shown(program: string, { teams, role, callbacks, calls, address, lifetimeMs: _lifetime, ...made }: MadeToken) {
  return {
    ...made,
    program,
    teams: [...teams],
    ...(role !== undefined && { role }),
    ...(callbacks && { callbacks: [...callbacks] }),
    ...(calls !== undefined && { calls }),
    ...(address !== undefined && { address, warning: atPublicAddress }),
  }
}
