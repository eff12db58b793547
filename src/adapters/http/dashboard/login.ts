import { Hono } from 'hono'
import { html } from 'hono/html'
import { IrisError, toIrisError } from '../../../base/protocol/error.ts'
import type { Refusals } from '../../operations/refusals.ts'
import type { Credentials } from '../credentials.ts'
import { ownerOnly } from '../owner-only.ts'
import type { Routes } from '../routes.ts'
import { clearedCookie, cookiesOf, loginCookie } from './cookie.ts'
import { codeMs, type Logins } from './logins.ts'
import { plainPage } from './page.ts'

export interface LoginParts {
  readonly logins: Logins
  readonly credentials: Credentials
  readonly refusals: Refusals
  readonly port: () => number
}

/** `GET /login?code=…`, the link that `iris dashboard` makes: exchanges the code for a cookie. */
export function loginPage({ logins, credentials, refusals, port }: LoginParts): Routes {
  const routes: Routes = new Hono()
  return routes.get('/login', async (context) => {
    try {
      // Comes first, so that an agent or another user who has read the link can neither use it nor use it up.
      await credentials.refuseOthers(context)
    } catch (error) {
      const { message, remedy } = toIrisError(error)
      const body = html`<p>${message}</p><p>${remedy}</p>`
      return plainPage(context, { status: 403, title: 'This link is not for this program', body })
    }
    const cookie = logins.redeem(context.req.query('code') ?? '')
    if (cookie === undefined) {
      const what = { actor: 'unknown', action: 'credential.refused', subject: 'GET /login' }
      refusals.record({ ...what, detail: { credential: 'code' } })
      return plainPage(context, { status: 401, title: 'This link does not work any more', body: another })
    }
    context.header('set-cookie', loginCookie(port(), cookie))
    return context.redirect('/', 303)
  })
}

const another = html`<p>A link to the dashboard works once, within a minute of being made: this one was used, or is older.</p>
<p>For another one run this in a terminal: <code>iris dashboard</code></p>
<p>If this browser has been let in already: <a href="/">to the dashboard</a>.</p>`

/** `POST /login/codes`, for `iris dashboard`, and `POST /logout`, for a signed-in browser. */
export function loginCalls({ logins, refusals, port }: LoginParts): Routes {
  const routes: Routes = new Hono()
  routes.post('/login/codes', ownerOnly(refusals), (context) => {
    // A browser cannot extend its login with a new code.
    if (context.req.header('authorization') === undefined) throw notByCookie()
    return context.json({ path: `/login?code=${logins.newCode()}`, expiresInMs: codeMs }, 201)
  })
  routes.post('/logout', (context) => {
    for (const cookie of cookiesOf(context.req.header('cookie'), port())) logins.end(cookie)
    context.header('set-cookie', clearedCookie(port()))
    return context.json({ status: 'signed_out' })
  })
  return routes
}

function notByCookie(): IrisError {
  return new IrisError('not_allowed', 'A browser cannot make such a link.', 'Run "iris dashboard" in a terminal.')
}
