import { readFileSync } from 'node:fs'
import { agentTypes } from '../../base/protocol/operations/agents.ts'
import { parseTemplate, type Template } from './template-tree.ts'

/** Besides one for each kind, what they all begin and end with. */
const names: readonly string[] = [...agentTypes, 'project', 'closing']

const parsed = new Map<string, Template>()

/** Iris's own template of that name, as `{{> base/name}}` puts it into others; undefined if there is none. */
export function builtIn(name: string): Template | undefined {
  if (!names.includes(name)) return undefined
  const known = parsed.get(name)
  if (known !== undefined) return known
  const template = parseTemplate(readFileSync(new URL(`templates/${name}.hbs`, import.meta.url), 'utf8'))
  parsed.set(name, template)
  return template
}
