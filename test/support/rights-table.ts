import { operationNames } from '../../src/features/contracts.ts'
import { askers, rightOf } from '../../src/kernel/call/policy.ts'

/** How docs/guide/rights.md calls the kinds of askers. */
const headings = { agent: 'agent', named: 'own token', program: 'program', viewer: 'viewer', owner: 'owner' }

const table = /^\| operation \|.*\n\|[-|]+\n(?:\| .*\n)+/m

/** The page with the table of rights as the code has it. What the last column says besides is kept. */
export function withRights(page: string): string {
  const notes = new Map(
    [...page.matchAll(/^\| `(\w+)` \| .* \| ?([^|\n]*)\|$/gm)].map(([, name, note]) => [name, note!.trim()]),
  )
  const rows = operationNames.map((name) => {
    const cells = askers.map((asker) => rightOf(name, asker))
    const note = notes.get(name) ?? ''
    return `| \`${name}\` | ${cells.join(' | ')} | ${note === '' ? '' : `${note} `}|`
  })
  const head = [
    `| operation | ${askers.map((asker) => headings[asker]).join(' | ')} | |`,
    `|${'---|'.repeat(askers.length + 2)}`,
  ]
  return page.replace(table, `${[...head, ...rows].join('\n')}\n`)
}
