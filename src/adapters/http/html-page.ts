import { createHash } from 'node:crypto'
import type { Context } from 'hono'
import { html, raw } from 'hono/html'

export interface HtmlPage {
  readonly status: 200 | 401 | 403 | 500 | 503
  readonly title: string
  readonly style: string
  readonly body: ReturnType<typeof html>
  /** The browser reloads the page after this many seconds. */
  readonly reloadSeconds?: number | undefined
  readonly hasForm?: boolean | undefined
}

/** Answers with a page without scripts. Its Content-Security-Policy allows its own style, and its form if it has one. */
export function htmlPage(context: Context, { status, title, style, body, reloadSeconds, hasForm = false }: HtmlPage) {
  const styleHash = createHash('sha256').update(style).digest('base64')
  context.header(
    'content-security-policy',
    `default-src 'none'; style-src 'sha256-${styleHash}'; base-uri 'none'; form-action ${hasForm ? "'self'" : "'none'"}; frame-ancestors 'none'`,
  )
  const reload = reloadSeconds === undefined ? '' : html`<meta http-equiv="refresh" content="${reloadSeconds}">`
  return context.html(
    html`<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width">${reload}<title>${title}</title>
<style>${raw(style)}</style></head>
<body><main>${body}</main></body></html>`,
    status,
  )
}
