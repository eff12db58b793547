import type { Context } from 'hono'
import { html } from 'hono/html'
import { type HtmlPage, htmlPage } from '../html-page.ts'

const style = `
body { font: 18px/1.6 system-ui, sans-serif; max-width: 36rem; margin: 12vh auto; padding: 0 1.25rem; color-scheme: light dark }
code, pre { font: 16px/1.5 ui-monospace, monospace; overflow-wrap: anywhere; white-space: pre-wrap }
button { font: inherit; padding: .6em 1.6em }
code { padding: .15em .4em; border: 1px solid; border-radius: .3em }
`

/** A page without scripts, for messages to somebody to whom the dashboard cannot be shown. */
export function scriptlessPage(context: Context, { title, body, ...page }: Omit<HtmlPage, 'style'>) {
  return htmlPage(context, { ...page, title: `${title} · Iris`, style, body: html`<h1>${title}</h1>\n${body}` })
}
