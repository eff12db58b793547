import { readFileSync } from 'node:fs'
import { agentTypes } from './contract/agents.ts'
import { parseTemplate, type Template } from './template-tree.ts'

/** One template for each kind, plus two templates with which every prompt begins and ends. */
const names: readonly string[] = [...agentTypes, 'project', 'closing']

const parsed = new Map<string, Template>()

/** Iris's own template of that name, which others include with `{{> base/name}}`; undefined if there is none. */
export function builtIn(name: string): Template | undefined {
  if (!names.includes(name)) return undefined
  const known = parsed.get(name)
  if (known !== undefined) return known
  const template = parseTemplate(readFileSync(new URL(`templates/${name}.hbs`, import.meta.url), 'utf8'))
  parsed.set(name, template)
  return template
}
