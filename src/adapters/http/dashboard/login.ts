import { type Context, Hono } from 'hono'
import { html } from 'hono/html'
import { IrisError, toIrisError } from '../../../base/protocol/error.ts'
import { RoleName } from '../../../base/protocol/role-name.ts'
import type { Refusals } from '../../../kernel/call/refusals.ts'
import type { Config } from '../../../platform/config/config.ts'
import { closedRole } from '../../../platform/config/roles.ts'
import type { Credentials } from '../credentials.ts'
import { ownerOnly } from '../owner-only.ts'
import type { Env, Routes } from '../routes.ts'
import { type CookiePlace, clearedCookie, cookiesOf, loginCookie } from './cookie.ts'
import { carriedCodeMs, codeMs, type Logins, type ViewerLogin } from './logins.ts'
import { scriptlessPage } from './page.ts'

export interface LoginParts {
  readonly config: () => Config
  readonly logins: Logins
  readonly credentials: Credentials
  readonly refusals: Refusals
  readonly port: () => number
}

/**
 * `GET /login?code=…`, the link that `iris dashboard` makes, exchanges the code for a cookie. At the public address it
 * only shows a button, because chats and mail programs open the links that are sent through them. The button sends the
 * code again by POST.
 */
export function loginPage(parts: LoginParts): Routes {
  const routes: Routes = new Hono()
  routes.get('/login', async (context) => {
    const refused = await pageIfRefused(parts, context)
    if (refused) return refused
    const code = context.req.query('code') ?? ''
    if (context.get('publicUrl') === undefined) return redeem(parts, context, code)
    // With `no-referrer`, the browser would send `Origin: null` with the form, which the POST route refuses.
    context.header('referrer-policy', 'same-origin')
    const body = html`<form method="post" action="/login"><input type="hidden" name="code" value="${code}">
<p><button>Sign in</button></p></form><p>${whatItGives(parts.logins.nameOf(code))}</p>`
    return scriptlessPage(context, { status: 200, title: 'Sign in to Iris', body, hasForm: true })
  })
  return routes.post('/login', async (context) => {
    const refused = await pageIfRefused(parts, context)
    if (refused) return refused
    if (context.get('publicUrl') === undefined || context.req.header('origin') === undefined) {
      throw new IrisError(
        'not_allowed',
        'This form is not from Iris.',
        'Open the link of "iris dashboard" in a browser.',
      )
    }
    const { code } = await context.req.parseBody()
    return redeem(parts, context, typeof code === 'string' ? code : '')
  })
}

function whatItGives(name: string | undefined): string {
  return name === undefined
    ? "From then on, this browser acts for you, with the owner's rights."
    : `From then on this browser chats as ${name}, until the owner of this Iris ends it.`
}

/**
 * Must run before the code is redeemed, so that an agent or another user who has read the link can neither use the code
 * nor use it up.
 */
async function pageIfRefused({ credentials }: LoginParts, context: Context<Env>) {
  try {
    await credentials.refuseOthers(context)
    return undefined
  } catch (error) {
    const { message, remedy } = toIrisError(error)
    const body = html`<p>${message}</p><p>${remedy}</p>`
    return scriptlessPage(context, { status: 403, title: 'This link is not for this program', body })
  }
}

function redeem(parts: LoginParts, context: Context<Env>, code: string) {
  const cookie = parts.logins.redeem(code, context.get('publicUrl'), context.req.header('user-agent'))
  if (cookie === undefined) {
    const what = { actor: 'unknown', action: 'credential.refused', subject: `${context.req.method} /login` }
    parts.refusals.record({ ...what, detail: { credential: 'code' } })
    return scriptlessPage(context, { status: 401, title: 'This link no longer works', body: linkUsedUpBody })
  }
  context.header('set-cookie', loginCookie(placeOf(parts, context), cookie))
  return context.redirect('/', 303)
}

function placeOf({ port }: LoginParts, context: Context<Env>): CookiePlace {
  return context.get('publicUrl') === undefined ? port() : 'public'
}

const linkUsedUpBody = html`<p>A link to the dashboard works once, within ${codeMs / 60_000} minute of being made (${carriedCodeMs / 60_000} minutes with
<code>--public</code>): this one was used, or is older.</p>
<p>To get a new one, run this in a terminal: <code>iris dashboard</code></p>
<p>If this browser is already signed in: <a href="/">to the dashboard</a>.</p>`

/** `POST /login/codes`, for `iris dashboard`, and `POST /logout`, for a signed-in browser. */
export function loginCalls(parts: LoginParts): Routes {
  const { config, logins, refusals } = parts
  const routes: Routes = new Hono()
  routes.post('/login/codes', ownerOnly(refusals), (context) => {
    // A browser cannot extend its login with a new code.
    if (context.req.header('authorization') === undefined) throw notByCookie()
    const viewer = viewerIn(context, config())
    if (context.req.query('for') !== 'public') {
      return context.json({ path: `/login?code=${logins.newCode(undefined, viewer)}`, expiresInMs: codeMs }, 201)
    }
    const { publicUrl } = config().settings
    if (publicUrl === undefined) throw noAddress()
    const path = `/login?code=${logins.newCode(publicUrl, viewer)}`
    return context.json({ path, url: `${publicUrl}${path}`, expiresInMs: carriedCodeMs }, 201)
  })
  routes.post('/logout', (context) => {
    const place = placeOf(parts, context)
    for (const cookie of cookiesOf(context.req.header('cookie'), place)) logins.end(cookie)
    context.header('set-cookie', clearedCookie(place))
    return context.json({ status: 'signed_out' })
  })
  return routes
}

/**
 * The person for whom the link is: one who only chats, or undefined for the owner. Throws `invalid_input` and
 * `not_found`.
 */
function viewerIn({ req }: Context<Env>, { roles }: Config): ViewerLogin | undefined {
  const { name, role = closedRole } = req.query()
  if (name === undefined) return undefined
  if (!RoleName.safeParse(name).success || name === 'owner') {
    const remedy = 'Use 1 to 32 lower-case letters, digits, _ or -, beginning with a letter, and not "owner".'
    throw new IrisError('invalid_input', `"${name}" is not a valid name for a login.`, remedy)
  }
  if (roles.has(role)) return { name, role }
  const remedy = `The roles are: ${[...roles.keys()].join(', ')}. To add one, edit roles in config.yaml.`
  throw new IrisError('not_found', `There is no role "${role}".`, remedy)
}

function notByCookie(): IrisError {
  return new IrisError('not_allowed', 'A browser cannot make such a link.', 'Run "iris dashboard" in a terminal.')
}

function noAddress(): IrisError {
  return new IrisError(
    'invalid_input',
    'There is no public address: settings.publicUrl of config.yaml is not set.',
    'Set `settings.publicUrl` to the https:// address of your proxy; docs/guide/phone.md shows how.',
  )
}
