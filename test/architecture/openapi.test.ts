import { readFileSync, writeFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { openApi } from '../../src/adapters/http/api/openapi.ts'
import { sha256 } from '../../src/base/lib/sha256.ts'
import { irisVersion } from '../../src/base/protocol/version.ts'

type Json = Readonly<Record<string, unknown>>
interface Description {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Json>>>>
  readonly components: { readonly schemas: Readonly<Record<string, Json>> }
}

const root = new URL('../../', import.meta.url)
const read = (path: string): string => readFileSync(new URL(path, root), 'utf8')
const described = JSON.parse(JSON.stringify(openApi())) as Description

test('docs/openapi.json describes the API as it is; -u writes it', async () => {
  await expect(`${JSON.stringify(described, null, 1)}\n`).toMatchFileSnapshot('../../docs/openapi.json')
})

/** A hash for each operation, with the shapes that it names. */
function digests({ paths, components }: Description): Record<string, string> {
  const operations = Object.values(paths).flatMap((methods) => Object.values(methods))
  const shapes = (operation: Json): unknown[] =>
    [...JSON.stringify(operation).matchAll(/#\/components\/schemas\/(\w+)/g)].map(([, name]) => components.schemas[name!])
  return Object.fromEntries(
    operations.map((each) => [each['operationId'], sha256(JSON.stringify([each, shapes(each)])).slice(0, 12)]),
  )
}

/** The operations of the last release: what has changed since needs a line. */
const file = 'test/release/openapi-released.json'

test('CHANGELOG names each operation that differs from the last release', () => {
  const released = JSON.parse(read(file)) as { readonly version: string; readonly operations: Record<string, string> }
  const now = digests(described)
  if (process.env['IRIS_RELEASED'] !== undefined) {
    writeFileSync(new URL(file, root), `${JSON.stringify({ version: irisVersion, operations: now }, null, 1)}\n`)
    return
  }
  const names = new Set([...Object.keys(now), ...Object.keys(released.operations)])
  const changed = [...names].filter((name) => now[name] !== released.operations[name])
  const sections = read('CHANGELOG.md').split(/^## /m)
  const recent = sections.slice(1, 1 + sections.slice(1).findIndex((each) => each.includes(released.version))).join('')
  expect(changed.filter((name) => !recent.includes(`\`${name}\``))).toEqual([])
})
