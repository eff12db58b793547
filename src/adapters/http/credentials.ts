import { createHash, timingSafeEqual } from 'node:crypto'
import type { Socket } from 'node:net'
import type { Context, HonoRequest } from 'hono'
import type { Clock } from '../../base/lib/clock.ts'
import { type DaemonHello, processTagHeader, projectDirectoryHeader, shareHeader } from '../../base/protocol/daemon.ts'
import { IrisError } from '../../base/protocol/error.ts'
import type { AuthContext } from '../../kernel/call/call.ts'
import { actorOf, aNamedProgram, aProgram, aViewer, theOwner } from '../../kernel/call/principal.ts'
import type { Refusals } from '../../kernel/call/refusals.ts'
import type { Config } from '../../platform/config/config.ts'
import { shareIn } from '../../platform/config/share.ts'
import { teamOfDirectory } from '../../platform/config/team-of-directory.ts'
import { cookiesOf } from './dashboard/cookie.ts'
import type { Logins, OpenLogin } from './dashboard/logins.ts'
import type { Peers, PeerView } from './peers.ts'
import type { Env } from './routes.ts'
import { addressOf, WrongTokens } from './wrong-tokens.ts'

/** A program that presented its own token. */
interface KnownProgram {
  /** `program:<name>` */
  readonly asker: string
  /** The teams that the program may ask. */
  readonly teams: readonly string[]
  readonly role?: string | undefined
  /** The callbacks that the program's messages may name. */
  readonly callbacks?: readonly string[] | undefined
  /** Calls a minute. */
  readonly calls?: number | undefined
  /** Aborted when the token ends. */
  readonly over: AbortSignal
}

interface ProgramTokens {
  readonly hasAny: boolean
  /** `address`: the public address. Undefined for this machine. */
  find(token: string, address?: string): KnownProgram | undefined
  /** Records that a program used the token that all programs share. `by`: which process used it. */
  usedShared(by: string | undefined): void
}

export interface CredentialsParts {
  /** The bearer tokens of programs and of the owner. */
  readonly program: string
  readonly owner: string
  /** The logins of browsers. The names of their cookies contain the port. */
  readonly logins: Pick<Logins, 'use'>
  /** The tokens of single programs. */
  readonly tokens: ProgramTokens
  readonly clock: Pick<Clock, 'elapsed'>
  readonly port: () => number
  readonly peers: Peers & { whoOf(socket: Socket): Promise<string> }
  readonly config: () => Config
  readonly refusals: Refusals
}

/** Whose credential it is. For a program with its own token, what the token contains. */
type Holder = 'program' | 'owner' | 'viewer' | KnownProgram

/** Finds out who sends a request, from the token or cookie and from the process at the other end of the connection. */
export class Credentials {
  readonly #parts: CredentialsParts
  readonly #digests: readonly (readonly ['program' | 'owner', Buffer])[]
  readonly #misused = new WeakSet<Socket>()
  readonly #wrong: WrongTokens

  constructor(parts: CredentialsParts) {
    this.#parts = parts
    this.#wrong = new WrongTokens(parts.clock)
    this.#digests = (['program', 'owner'] as const).map((holder) => [holder, digest(parts[holder])])
  }

  /**
   * Sets the request's `auth`, and `loginOver` for a browser or a token that can end. Throws `unauthorized` and
   * `not_allowed`, and `invalid_input` for a malformed directory header.
   */
  async letIn(context: Context<Env>): Promise<void> {
    const { authorization } = context.req.header()
    const login = authorization === undefined ? this.#loginOf(context) : undefined
    const forged = login && whyPossiblyForged(context.req)
    if (forged !== undefined) throw this.#forged(context, forged)
    const holder = login ? (login.viewer ? 'viewer' : 'owner') : this.#bearerOf(context)
    if (holder === undefined) throw this.#unknown(context)
    const auth = await this.#authWith(holder, context, login)
    const share = auth.parent ? undefined : shareIn(context.req.header(shareHeader), this.#parts.owner)
    const loginId = login && auth.principal.kind !== 'agent' ? login.loginId : undefined
    context.set('auth', { ...auth, ...(loginId !== undefined && { loginId }), ...(share !== undefined && { share }) })
    if (holder === 'program' && auth.principal.kind === 'program' && share === undefined)
      await this.#noteShared(context)
    if (login) context.set('loginOver', login.over)
    else if (typeof holder === 'object') context.set('loginOver', holder.over)
  }

  /**
   * At the public address, the only valid tokens are those of single programs that were made for this address, because
   * a proxy hides which process sends a token. Throws `too_many_calls`.
   */
  #bearerOf(context: Context<Env>): Holder | undefined {
    const address = context.get('publicUrl')
    const given = bearerIn(context.req.header('authorization'))
    if (given === undefined) return undefined
    if (address === undefined) return this.#holderOf(given) ?? this.#parts.tokens.find(given)
    const from = addressOf(context.req.header('x-forwarded-for'), socketOf(context)?.remoteAddress)
    this.#wrong.admit(from)
    const found = this.#parts.tokens.find(given, address)
    if (found === undefined) this.#wrong.note(from)
    return found
  }

  async #noteShared(context: Context<Env>): Promise<void> {
    const socket = socketOf(context)
    if (!this.#parts.tokens.hasAny) return
    this.#parts.tokens.usedShared(socket && (await this.#parts.peers.whoOf(socket)))
  }

  async #authWith(holder: Holder, context: Context<Env>, login?: OpenLogin): Promise<AuthContext> {
    const socket = socketOf(context)
    const peer: PeerView = socket ? await this.#parts.peers.of(socket) : { kind: 'own' }
    const tag = context.req.header(processTagHeader)
    const view = peer.kind === 'own' && tag !== undefined ? this.#parts.peers.tagged(tag) : peer
    if (view.kind === 'agent') return this.#agent(view.auth(), holder, socket)
    const isOfPrograms = holder === 'program' || typeof holder === 'object'
    if (view.kind === 'refused' || (view.kind === 'foreign' && !isOfPrograms && !isProxied(context))) {
      throw this.#misuse(context, holder, view.why)
    }
    if (login?.viewer) {
      const { name, role } = login.viewer
      return { principal: aViewer(name, role), team: undefined, parent: undefined }
    }
    if (typeof holder === 'object') return namedAuth(holder)
    if (holder === 'owner') return { principal: theOwner, team: undefined, parent: undefined }
    const directory = context.req.header(projectDirectoryHeader)
    return programAuth(directory && decoded(directory), this.#parts.config())
  }

  /**
   * For a program on the home socket, which no agent of this Iris can reach, returns a function that returns the caller
   * for each call. Returns undefined for any credential but that of programs, because the owner's credential requires a
   * check of the process.
   */
  program({ token, directory, share: sent }: DaemonHello): (() => AuthContext) | undefined {
    if (this.#holderOf(token) === 'program') {
      const share = shareIn(sent, this.#parts.owner)
      return () => ({ ...programAuth(directory, this.#parts.config()), ...(share !== undefined && { share }) })
    }
    const refused = { actor: 'unknown', action: 'credential.refused', subject: 'daemon.sock' }
    this.#parts.refusals.record({ ...refused, detail: { credential: 'unknown' } })
    return undefined
  }

  /** Refuses every process but the person's own processes, whatever credential it presents. Throws `not_allowed`. */
  async refuseOthers(context: Context<Env>): Promise<void> {
    const socket = socketOf(context)
    const view = socket && (await this.#parts.peers.of(socket))
    if (view === undefined || view.kind === 'own' || (view.kind === 'foreign' && isProxied(context))) return
    if (view.kind === 'agent') return this.refuseAgents(context)
    throw this.#misuse(context, 'owner', view.why)
  }

  /**
   * Refuses agents, and processes that Iris cannot see, because each may be an agent. Other users' processes are let
   * through. Throws `not_allowed`.
   */
  async refuseHidden(context: Context<Env>): Promise<void> {
    const socket = socketOf(context)
    const view = socket && (await this.#parts.peers.of(socket))
    if (view?.kind === 'agent') return this.refuseAgents(context)
    if (view?.kind === 'refused') throw this.#misuse(context, 'program', view.why)
  }

  /** Refuses agents on routes that need no bearer token. Throws `not_allowed`. */
  async refuseAgents({ env, req }: Context): Promise<void> {
    const socket: Socket | undefined = env?.incoming?.socket
    const view = socket && (await this.#parts.peers.of(socket))
    if (view?.kind !== 'agent') return
    const actor = actorOf(view.auth().principal)
    this.#parts.refusals.record({ actor, action: 'call.refused', subject: `${req.method} ${req.path}` })
    throw new IrisError(
      'not_allowed',
      'Agents cannot do this.',
      "Only the owner of this Iris, or the owner's endpoint, can do this.",
    )
  }

  /** Compares a token with the two tokens of this Iris, by hash and in constant time. */
  #holderOf(given: string): 'program' | 'owner' | undefined {
    const hash = digest(given)
    return this.#digests.filter(([, expected]) => timingSafeEqual(hash, expected))[0]?.[0]
  }

  #loginOf(context: Context<Env>): OpenLogin | undefined {
    const address = context.get('publicUrl')
    return this.#cookiesOf(context)
      .map((value) => this.#parts.logins.use(value, address))
      .find((login) => login !== undefined)
  }

  #cookiesOf(context: Context<Env>): string[] {
    const place = context.get('publicUrl') === undefined ? this.#parts.port() : 'public'
    return cookiesOf(context.req.header('cookie'), place)
  }

  /**
   * An agent has an agent's rights, whatever credential it presents. If it uses the owner's credential or a login, this
   * is audited once per connection, because an agent does not find such a credential by chance.
   */
  #agent(auth: AuthContext, holder: Holder, socket: Socket | undefined): AuthContext {
    if (holder !== 'program' && socket !== undefined && !this.#misused.has(socket)) {
      this.#misused.add(socket)
      this.#parts.refusals.record({
        actor: actorOf(auth.principal),
        action: 'credential.misused',
        subject: nameOf(holder),
      })
    }
    return auth
  }

  #unknown(context: Context<Env>): IrisError {
    const [{ req }, cookies] = [context, this.#cookiesOf(context)]
    const sent = req.header('authorization') === undefined && cookies.length === 0 ? 'none' : 'unknown'
    this.#parts.refusals.record({
      actor: 'unknown',
      action: 'credential.refused',
      subject: `${req.method} ${req.path}`,
      detail: { credential: sent },
    })
    if (isProxied(context)) {
      const remedy = 'Run "iris dashboard --public" on the machine of Iris, and open the link in this browser.'
      return new IrisError('unauthorized', 'Only a signed-in browser may use this address.', remedy)
    }
    return new IrisError(
      'unauthorized',
      sent === 'none'
        ? 'The bearer token of this Iris is missing.'
        : 'The credential you sent does not belong to this Iris.',
      'Send a token as Authorization: Bearer. The owner makes one for a program with "iris token create"; for a browser run "iris dashboard".',
    )
  }

  #forged({ req }: Context, why: string): IrisError {
    this.#parts.refusals.record({
      actor: 'unknown',
      action: 'credential.refused',
      subject: `${req.method} ${req.path}`,
      detail: { credential: 'cookie', why },
    })
    return new IrisError(
      'not_allowed',
      `The cookie of a browser does not authorize this request: ${why}.`,
      'Use the dashboard itself; programs send the bearer token that "iris token" prints.',
    )
  }

  #misuse({ req }: Context, holder: Holder, why: string): IrisError {
    this.#parts.refusals.record({
      actor: 'unknown',
      action: 'credential.refused',
      subject: `${req.method} ${req.path}`,
      detail: { credential: nameOf(holder), why },
    })
    return new IrisError(
      'not_allowed',
      `This process may not use the credential of ${nameOf(holder, 'the ')}: ${why}.`,
      'Call from a process that you started yourself, outside every agent.',
    )
  }
}

function socketOf({ env }: Pick<Context, 'env'>): Socket | undefined {
  return env?.incoming?.socket
}

/** A proxy may run as another user. Its requests count as the owner's only with a login for the public address. */
function isProxied(context: Context<Env>): boolean {
  return context.get('publicUrl') !== undefined
}

/**
 * The bridge sends the directory in which it was started, and calls as the team of that directory. A program that sends
 * no directory calls as no team.
 */
function programAuth(directory: string | undefined, { teams }: Config): AuthContext {
  const team = directory === undefined ? undefined : teamOfDirectory(teams, directory)
  return { principal: aProgram, team: team?.name, parent: undefined }
}

/** A program with its own token acts only for itself, from any directory. */
function namedAuth({ asker, teams, role, callbacks, calls }: KnownProgram): AuthContext {
  const principal = aNamedProgram(asker, teams, { limitedTo: role, ...(callbacks && { callbacks }) })
  return { principal, team: asker, parent: undefined, ...(calls !== undefined && { callsPerMinute: calls }) }
}

function nameOf(holder: Holder, article = ''): string {
  return typeof holder === 'object' ? holder.asker : `${article}${holder}`
}

function bearerIn(authorization = ''): string | undefined {
  const [scheme, given] = authorization.split(' ', 2)
  return scheme?.toLowerCase() === 'bearer' ? given : undefined
}

function decoded(directory: string): string {
  try {
    return decodeURIComponent(directory)
  } catch {
    throw new IrisError(
      'invalid_input',
      `The header ${projectDirectoryHeader} is not URI-encoded.`,
      'Encode the path with encodeURIComponent.',
    )
  }
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}

/**
 * Why a request with the cookie may be forged. Undefined if it cannot be. A browser also sends the cookie with requests
 * from pages on other ports. Such a page can send a form or open a socket without a preflight request. Therefore writes
 * and sockets must name their `Origin`, and writes must be JSON. `loopbackOnly` has already checked that an `Origin` is
 * this address.
 */
function whyPossiblyForged(req: HonoRequest): string | undefined {
  const reads = req.method === 'GET' || req.method === 'HEAD'
  if (reads && req.header('upgrade') === undefined) return undefined
  if (req.header('origin') === undefined) return 'it does not name the page that sent it'
  const isJson = /^application\/json\s*(;|$)/i.test(req.header('content-type') ?? '')
  return reads || isJson ? undefined : 'it is not JSON'
}
