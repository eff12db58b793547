import type { Context } from 'hono'
import { html } from 'hono/html'
import { irisVersion } from '../../../base/protocol/version.ts'
import { contracts, operationNames } from '../../../features/contracts.ts'
import { htmlPage } from '../html-page.ts'

const style = `
body { font: 16px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem; color-scheme: light dark }
code { font: 14px/1.5 ui-monospace, monospace; overflow-wrap: anywhere }
h2 { margin-top: 2.5rem } dt { font-weight: 600 } dd { margin: 0 0 .5rem 1rem }
`

/** The API for people: every operation with its address, who may call it, and its arguments. */
export function referencePage(context: Context) {
  const body = html`
<h1>The API of Iris ${irisVersion}</h1>
<p>Every operation, as <a href="/api/openapi.json">OpenAPI 3.1</a> too. Programs send the bearer token that
<code>iris token</code> prints. Arguments of a GET go into the query, those of a POST into a JSON object. A refusal is
<code>application/problem+json</code> with <code>code</code>, <code>detail</code> and <code>remedy</code>.</p>
${operationNames.map((name) => section(name))}
`
  return htmlPage(context, { status: 200, title: 'The API of Iris', style, body })
}

function section(name: (typeof operationNames)[number]) {
  const { title, description, access, routes, input } = contracts[name]
  const fields = Object.entries(input.shape)
  return html`<h2 id="${name}">${title}</h2>
${routes.map((route) => html`<p><code>${route}</code></p>`)}
<p>${description}</p>
<p>Operation <code>${name}</code>: needs the right <code>${access}</code> or a higher one.</p>
<dl>${fields.map(([field, schema]) => html`<dt><code>${field}</code></dt><dd>${described(schema)}</dd>`)}</dl>`
}

function described(schema: { readonly description?: string | undefined; isOptional(): boolean }): string {
  return [schema.isOptional() ? '' : 'Required.', schema.description ?? ''].filter(Boolean).join(' ')
}
