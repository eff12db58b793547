import { readFile } from 'node:fs/promises'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { type Operation, usualAnswer } from '../../base/operation/operation.ts'
import { contracts, type OperationName } from '../../features/contracts.ts'
import { toReply } from './reply.ts'
import { toolsFor } from './tools.ts'

const names = [
  ...new Set(
    (['agent', 'program', 'owner'] as const).flatMap((kind) =>
      toolsFor(kind, { isInChat: kind === 'agent' }).map(({ name }) => name as OperationName),
    ),
  ),
].toSorted()

function boundOf(name: OperationName): number {
  const { answer = usualAnswer }: Operation = contracts[name]
  return answer.tokens
}

type Schema = z.core.JSONSchema.BaseSchema

/** A value of the schema in which each list has `items` items and each free text `characters` characters. */
function sample(schema: Schema, items: number, characters: number, root: Schema = schema): unknown {
  const { $ref } = schema
  if ($ref) return sample(root.$defs![$ref.replace('#/$defs/', '')]!, items, characters, root)
  if (Array.isArray(schema.type)) return sample({ ...schema, type: schema.type[0]! }, items, characters, root)
  const [first] = schema.anyOf ?? schema.oneOf ?? []
  if (first) return sample(first, items, characters, root)
  if (schema.const !== undefined) return schema.const
  if (schema.enum) return schema.enum[0]
  if (schema.format === 'uuid') return '00000000-0000-4000-8000-000000000000'
  if (schema.pattern?.includes('0-9a-f')) return 'a'.repeat(64)
  if (schema.type === 'string')
    return schema.pattern ? '1:1' : 'ü'.repeat(Math.min(characters, schema.maxLength ?? characters))
  if (schema.type === 'integer' || schema.type === 'number') return 1
  if (schema.type === 'boolean') return true
  if (schema.type === 'array') {
    // Lists within lists are short: otherwise a sample has millions of items.
    const item = sample(schema.items as Schema, Math.min(items, 5), characters, root)
    return Array.from({ length: items }, () => item)
  }
  const fields = Object.entries((schema.properties ?? {}) as Record<string, Schema>)
  const free = schema.properties ? [] : Array.from({ length: items }, (_, at) => [`name ${at}`, { type: 'string' }])
  return Object.fromEntries(
    [...fields, ...(free as [string, Schema][])].map(([name, field]) => [name, sample(field, items, characters, root)]),
  )
}

describe.each([
  ['many items', 0.05, 0],
  ['long texts', 0, 0.4],
] as const)('with %s', (_what, itemsPerToken, charactersPerToken) => {
  test.each(names)('%s stays within its bound, and its contract holds', (name) => {
    const [items, characters] = [
      2 + Math.min(boundOf(name), 40_000) * itemsPerToken,
      40 + boundOf(name) * charactersPerToken,
    ]
    const whole = sample(z.toJSONSchema(contracts[name].output, { io: 'output' }), items, characters)
    const { content, structuredContent } = toReply(name, whole as Record<string, unknown>)
    expect(Buffer.byteLength(content[0]!.text) / 4).toBeLessThanOrEqual(boundOf(name))
    expect(content[0]!.text === JSON.stringify(structuredContent)).toBe(true)
    const wasLong = Buffer.byteLength(JSON.stringify(whole)) / 4 > boundOf(name)
    expect('shortened' in structuredContent).toBe(wasLong)
    const judged = contracts[name].output.safeParse(structuredContent)
    const wrong = judged.error?.issues.map(({ path, message }) => `${path.join('.')}: ${message}`)
    expect(wrong).toBeUndefined()
  })
})

test('says how much was left out, and what to do; a program that asks for the whole gets it', () => {
  const teams = Array.from({ length: 1000 }, (_, at) => ({ name: `team${at}`, status: 'asleep', sessions: [] }))
  const { structuredContent } = toReply('team_status', { teams, timestamp: 1, nextCursor: '1:1' })
  const { shortened, teams: shown, nextCursor } = structuredContent as { shortened: string; teams: []; nextCursor?: '' }
  expect(shortened).toBe(`Shortened to 10000 tokens: teams has ${shown.length} of 1000. Name a team.`)
  expect(shown).toEqual(teams.slice(0, shown.length))
  expect(shown.length).toBeGreaterThan(500)
  expect(nextCursor).toBeUndefined()
  expect(toReply('team_status', { teams }, true).structuredContent).toEqual({ teams })
})

test('keeps the newest entries of the log', () => {
  const logs = Array.from({ length: 10_000 }, (_, at) => `entry ${at}`)
  const { structuredContent } = toReply('get_logs', { logs })
  expect((structuredContent['logs'] as string[]).at(-1)).toBe('entry 9999')
})

test('the guide has a table of the bounds', async () => {
  const guide = await readFile(new URL('../../../docs/guide/tools.md', import.meta.url), 'utf8')
  const [, section = ''] = guide.split('\n## How long an answer is\n')
  const rows = [...section.split('\n## ')[0]!.matchAll(/^\| ([\d ]+) \| (.*?) \|$/gm)]
  const said = rows.map(([, tokens, tools]) => [Number(tokens!.replaceAll(' ', '')), tools])
  const others = `all others`
  const sizes = [...new Set(names.map(boundOf))].toSorted((one, other) => one - other)
  const listed = (tokens: number) => names.filter((name) => boundOf(name) === tokens && 'answer' in contracts[name])
  const line = (tokens: number) => listed(tokens).map((name) => `\`${name}\``)
  expect(said).toEqual(
    sizes.map((tokens) => [tokens, [...line(tokens), ...(tokens === usualAnswer.tokens ? [others] : [])].join(', ')]),
  )
})
