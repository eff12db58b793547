import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { contracts, type OperationName } from '../../features/contracts.ts'
import { toolsFor } from './tools.ts'

const page = new URL('../../../docs/guide/tools.md', import.meta.url)
/** A person's own Claude Code is connected through the bridge, which is a program. */
const [agents, people] = (['agent', 'program'] as const).map(
  (kind) =>
    new Map(toolsFor(kind).map(({ name, inputSchema }) => [name, Object.keys(inputSchema['properties'] ?? {})])),
) as [Map<string, string[]>, Map<string, string[]>]

const code = (names: readonly string[]): string => names.map((name) => `\`${name}\``).join(', ')

/** Made from the contracts: the fields of each tool, by the kind of caller that sees it. */
function rows(): string[] {
  return [...new Set([...people.keys(), ...agents.keys()])].map((name) => {
    const all = Object.keys(contracts[name as OperationName].input.shape)
    const shown = (to: ReadonlyMap<string, readonly string[]>) => all.filter((each) => to.get(name)?.includes(each))
    const [ofAgents, ofPeople] = [shown(agents), shown(people)]
    const cells = [
      ofAgents,
      ofPeople.filter((each) => !ofAgents.includes(each)),
      all.filter((each) => ![...ofAgents, ...ofPeople].includes(each)),
    ].map((names) => (names.length === 0 ? ' ' : ` ${code(names)} `))
    return `| \`${name}\`${agents.has(name) ? '' : ' (no tool of agents)'} |${cells.join('|')}|`
  })
}

test('the guide says of each argument who is shown it', () => {
  const [, section = ''] = readFileSync(page, 'utf8').split('## Who is shown which argument\n')
  expect(section.split('\n## ')[0]!.match(/^\| `.*$/gm)).toEqual(rows())
})

test('what the first designs promise is shown to a person’s own Claude Code, and not to agents', () => {
  expect(people.get('send_message')).toEqual(expect.arrayContaining(['raw', 'role', 'deliver']))
  expect(people.get('notify')).toContain('ttlDays')
  expect(agents.get('send_message')).not.toEqual(expect.arrayContaining(['role']))
  expect(agents.get('notify')).not.toContain('ttlDays')
})
