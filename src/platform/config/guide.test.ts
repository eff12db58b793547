import { mkdir, readFile } from 'node:fs/promises'
import { describe, expect, test } from 'vitest'
import { temporaryHome } from '../../../test/support/temporary-home.ts'
import { CallbackEntry } from './callbacks.ts'
import { ChannelEntry } from './channels.ts'
import { Cluster } from './cluster.ts'
import { fieldDescriptions } from './field-descriptions.ts'
import { ProblemList } from './problem.ts'
import { RoleEntry } from './roles.ts'
import { Database, InsightEntry, Settings, TeamEntry } from './schema.ts'
import { checkShape } from './shape.ts'
import { TriggerEntry } from './triggers.ts'
import { readTree } from './yaml-tree.ts'

// The guide and the schema must agree.
const guide = await readFile(new URL('../../../docs/guide/configure.md', import.meta.url), 'utf8')
const [example = '', wrongExample = ''] = [...guide.matchAll(/```yaml\n(.*?)```/gs)].map(([, yaml]) => yaml ?? '')
const [said = ''] = [...guide.matchAll(/```text\n(.*?)```/gs)].map(([, text]) => text ?? '')

/** A section's table: its keys, their defaults as text, and what they mean. */
function rowsOf(section: string): [key: string, fallback: string, meaning: string][] {
  const [, table = ''] = guide.split(`\n## \`${section}\`\n`)
  const rows = table.split('\n## ')[0]!.matchAll(/^\| `(\w+)` *\| +(.*?) *\| +(.*?) *\|$/gm)
  return [...rows].map(([, key = '', fallback = '', meaning = '']) => [key, fallback, meaning])
}

function declared(
  schema:
    | typeof Settings
    | typeof Database
    | typeof TeamEntry
    | typeof RoleEntry
    | typeof ChannelEntry
    | typeof CallbackEntry
    | typeof TriggerEntry
    | typeof InsightEntry
    | typeof Cluster,
): [key: string, fallback: string][] {
  return Object.entries(schema.shape).map(([key, field]) => {
    const fallback: unknown = field.safeParse(undefined).data
    return [
      key,
      typeof fallback === 'object' || fallback === undefined ? '' : JSON.stringify(fallback).replaceAll('"', ''),
    ]
  })
}

describe('the guide names every key with its default', () => {
  test.each([
    ['settings', Settings],
    ['database', Database],
    ['teams', TeamEntry],
    ['roles', RoleEntry],
    ['channels', ChannelEntry],
    ['callbacks', CallbackEntry],
    ['triggers', TriggerEntry],
    ['insight', InsightEntry],
    ['cluster', Cluster],
  ] as const)('%s', (section, schema) => {
    expect(rowsOf(section).map(([key, fallback]) => [key, fallback])).toEqual(declared(schema))
  })
})

describe('the schema says what each key is for in the words of the guide', () => {
  const elsewhere = /( \(|[.,;:]? )[Ss]ee (\[[^\]]+\]\([^)]+\)|below)( for what holds where)?\)?/g
  test.each([
    'settings',
    'database',
    'teams',
    'roles',
    'channels',
    'callbacks',
    'triggers',
    'insight',
    'cluster',
  ] as const)('%s', (section) => {
    const said = rowsOf(section).map(([key, , meaning]) => [key, meaning.replaceAll(elsewhere, '')])
    expect(Object.entries(fieldDescriptions[section])).toEqual(said)
  })
})

test('the example of the guide is right', async () => {
  const problems = new ProblemList('config.yaml')
  const shape = checkShape(await readTree(example, { SHOP_DATABASE_URL: 'x' }, problems), problems)
  expect(problems.inFileOrder()).toEqual([])
  expect(Object.keys(shape?.teams ?? {})).toEqual(['frontend', 'backend'])
})

test('the mistakes that the guide shows read so', async () => {
  await using disk = await temporaryHome()
  await mkdir(`${disk.root}/projects/shop/backend`, { recursive: true })
  const printed = `The configuration has 3 mistakes.\n\n${await disk.mistakes(wrongExample)}\n`
  expect(printed.replaceAll('/r/iris/', '/home/ada/.iris/').replaceAll('/r/', '/home/ada/')).toBe(said)
})
