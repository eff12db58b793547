import { createHash } from 'node:crypto'
import type { Context } from 'hono'
import { html, raw } from 'hono/html'

const style = `
body { font: 18px/1.6 system-ui, sans-serif; max-width: 36rem; margin: 12vh auto; padding: 0 1.25rem; color-scheme: light dark }
code, pre { font: 16px/1.5 ui-monospace, monospace; overflow-wrap: anywhere; white-space: pre-wrap }
button { font: inherit; padding: .6em 1.6em }
code { padding: .15em .4em; border: 1px solid; border-radius: .3em }
`

/** The page's Content-Security-Policy: only its own style, and its own form where it has one. */
const policy = (formAction: "'none'" | "'self'") =>
  `default-src 'none'; style-src 'sha256-${createHash('sha256').update(style).digest('base64')}'; base-uri 'none'; form-action ${formAction}; frame-ancestors 'none'`

export interface PlainPage {
  readonly status: 200 | 401 | 403 | 500 | 503
  readonly title: string
  readonly body: ReturnType<typeof html>
  /** The browser reloads the page after so many seconds. */
  readonly reloadSeconds?: number
  readonly hasForm?: boolean
}

/** A page without scripts, for messages where the dashboard cannot be shown. */
export function plainPage(context: Context, { status, title, body, reloadSeconds, hasForm }: PlainPage) {
  context.header('content-security-policy', policy(hasForm ? "'self'" : "'none'"))
  const reload = reloadSeconds === undefined ? '' : html`<meta http-equiv="refresh" content="${reloadSeconds}">`
  return context.html(
    html`<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width">${reload}<title>${title} · Iris</title>
<style>${raw(style)}</style></head>
<body><main><h1>${title}</h1>
${body}
</main></body></html>`,
    status,
  )
}
