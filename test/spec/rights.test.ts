import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { toolsFor } from '../../src/mcp/tools.ts'
import { contracts, operationNames } from '../../src/protocol/operations/index.ts'
import { accesses, type Operation } from '../../src/protocol/operations/operation.ts'

const page = fileURLToPath(new URL('../../docs/guide/rights.md', import.meta.url))

/** What the page says of an operation: a cell for each of agent, program and owner. */
function documented(): Record<string, string[]> {
  const rows = readFileSync(page, 'utf8').matchAll(/^\| `(\w+)` +\| (.+) \|$/gm)
  return Object.fromEntries([...rows].map(([, name, cells]) => [name, cells!.split('|').map((cell) => cell.trim())]))
}

test('docs/guide/rights.md has a row for each operation, with who may call it', () => {
  const table = documented()
  expect(Object.keys(table)).toEqual(operationNames)
  for (const name of operationNames) {
    const least = accesses.indexOf((contracts[name] as Operation).access)
    const may = table[name]!.slice(0, 3).map((cell) => cell !== '–')
    expect({ name, may }).toEqual({ name, may: accesses.map((_who, rank) => rank >= least) })
  }
})

test('everybody is shown the tools that are theirs, and no other', () => {
  const table = documented()
  accesses.forEach((who, column) => {
    const theirs = operationNames.filter((name) => table[name]![column] !== '–')
    expect(toolsFor(who).map(({ name }) => name)).toEqual(theirs)
  })
})
