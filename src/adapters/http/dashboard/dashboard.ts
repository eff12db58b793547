import { randomBytes } from 'node:crypto'
import { statSync } from 'node:fs'
import { join } from 'node:path'
import { type Context, Hono } from 'hono'
import { html } from 'hono/html'
import { toIrisError } from '../../../base/protocol/error.ts'
import type { Env, Routes } from '../routes.ts'
import { buildDirectory, DashboardBuild, packageRoot } from './build.ts'
import { type LoginParts, loginCalls, loginPage } from './login.ts'
import { scriptlessPage } from './page.ts'
import { readSite, type Site, type SiteFile } from './site.ts'

export interface Dashboard {
  /** The pages that a browser shows. These routes check the credential themselves. */
  readonly pages: Routes
  /** The routes for callers whose credential has been checked. */
  readonly calls: Routes
}

/** Addresses that are not pages, even if a browser asks for HTML. */
const notPages = /^\/(api|mcp|health|ready|metrics|login|logout|stop|\.well-known)(\/|$)/

/**
 * Files that an operating system fetches, without the cookie, to install the app. They contain no data of this Iris.
 */
const openFiles = /^\/(manifest\.webmanifest|icon[\w-]*\.(png|svg))$/

/** The dashboard: the page at `/` and at its other addresses, its files, and the login of browsers. */
export function createDashboard(parts: LoginParts & { readonly root?: string }): Dashboard {
  const served = new ServedSite(parts.root ?? packageRoot)
  const pages: Routes = new Hono()
  pages.route('/', loginPage(parts))
  pages.get('*', (context, next) => {
    const { path } = context.req
    const file = path === '/index.html' ? undefined : served.file(path)
    if (file && openFiles.test(path)) return fileAnswer(context, file)
    if (file) return letIn(parts, context, () => fileAnswer(context, file))
    const isPage = context.req.header('accept')?.includes('text/html') === true && !notPages.test(path)
    return isPage ? letIn(parts, context, () => pageAnswer(context, served)) : next()
  })
  return { pages, calls: loginCalls(parts) }
}

async function letIn({ credentials }: LoginParts, context: Context<Env>, answer: () => Response | Promise<Response>) {
  try {
    await credentials.letIn(context)
  } catch (error) {
    const { code, message, remedy } = toIrisError(error)
    if (code !== 'unauthorized') {
      const body = html`<p>${message}</p><p>${remedy}</p>`
      return scriptlessPage(context, { status: 403, title: 'Not for this program', body })
    }
    return scriptlessPage(context, { status: 401, title: 'Sign in to Iris', body: askForLink(context) })
  }
  if (context.get('auth').principal.roles.includes('viewer')) return answer()
  return scriptlessPage(context, { status: 403, title: 'For the owner only', body: askForLink(context) })
}

/** Asks for a sign-in link. At the public address, only a link for that address helps. */
function askForLink(context: Context<Env>) {
  const command = context.get('publicUrl') === undefined ? 'iris dashboard' : 'iris dashboard --public'
  return html`<p>Run <code>${command}</code> in a terminal to get a sign-in link.</p>`
}

function pageAnswer(context: Context, served: ServedSite): Response | Promise<Response> {
  const site = served.current()
  if (site === 'building') {
    const body = html`<p>The dashboard is being built from this checkout. This page reloads automatically.</p>`
    return scriptlessPage(context, { status: 503, title: 'One moment', body, reloadSeconds: 1 })
  }
  if (site === undefined) {
    const body = html`<p>This installation has no <code>dist/dashboard</code>. Install Iris again.</p>`
    return scriptlessPage(context, { status: 500, title: 'The dashboard is missing', body })
  }
  if ('failure' in site) {
    const body = html`<p>Fix the problem it reports, then reload this page.</p><pre>${site.failure}</pre>`
    return scriptlessPage(context, { status: 500, title: 'The dashboard could not be built', body })
  }
  const nonce = randomBytes(16).toString('base64')
  context.header('content-security-policy', policyWith(nonce))
  context.header('cross-origin-opener-policy', 'same-origin')
  // For a person who only chats, the page shows only the chat. Rights are checked at each call.
  const chatsOnly = context.get('auth').principal.kind === 'viewer' ? '<meta name="iris-viewer" content="yes">' : ''
  return context.html(site.page.replace('<head>', `<head><meta property="csp-nonce" nonce="${nonce}">${chatsOnly}`))
}

/**
 * The dashboard's Content-Security-Policy: its own scripts, and calls to this address only. Libraries insert styles at
 * run time (for the editor, and to stop the page from scrolling under a dialog). These styles carry the nonce, which is
 * new in every response.
 */
function policyWith(nonce: string): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self' 'nonce-${nonce}'`,
    "connect-src 'self'",
    "img-src 'self' data:",
    "font-src 'self'",
    "manifest-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ')
}

async function fileAnswer(context: Context, file: SiteFile): Promise<Response> {
  const encoding = file.encodingFor(context.req.header('accept-encoding'))
  const caching = file.isImmutable ? 'private, max-age=31536000, immutable' : 'no-cache'
  return context.body(new Uint8Array(await file.as(encoding)), 200, {
    'content-type': file.type,
    'cache-control': caching,
    vary: 'Accept-Encoding',
    ...(encoding && { 'content-encoding': encoding }),
  })
}

/** The built dashboard, read again after every build. */
class ServedSite {
  readonly #root: string
  readonly #build: DashboardBuild
  #site: Site | undefined
  #readAt = 0

  constructor(root: string) {
    this.#root = root
    this.#build = new DashboardBuild(root)
  }

  file(path: string): SiteFile | undefined {
    return (this.#site ?? this.#read())?.files.get(path)
  }

  current(): Site | Exclude<ReturnType<DashboardBuild['ensureBuilt']>, 'built'> | undefined {
    const state = this.#build.ensureBuilt()
    return state === 'built' ? this.#read() : state
  }

  #read(): Site | undefined {
    const directory = buildDirectory(this.#root)
    const changedAt = statSync(join(directory, 'index.html'), { throwIfNoEntry: false })?.mtimeMs ?? 0
    if (this.#site === undefined || changedAt !== this.#readAt) this.#site = readSite(directory)
    this.#readAt = changedAt
    return this.#site
  }
}
