import { openApi } from '../src/adapters/http/api/openapi.ts'
import { sha256 } from '../src/base/lib/sha256.ts'

/** The description of the HTTP API, as a file of the repository and of the package. */
export const descriptionFile = 'docs/openapi.json'
/** A hash of each operation of the last release. */
export const releasedFile = 'test/release/openapi-released.json'

type Json = Readonly<Record<string, unknown>>

interface Description {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Json>>>>
  readonly components: { readonly schemas: Readonly<Record<string, Json>> }
}

const described = JSON.parse(JSON.stringify(openApi())) as Description

export const descriptionText = `${JSON.stringify(described, null, 1)}\n`

/** The shapes without the texts for people: a reworded description changes no client. */
const shapesOnly = JSON.parse(JSON.stringify(described), (key, value: unknown) =>
  typeof value === 'string' && ['description', 'summary', 'title'].includes(key) ? undefined : value,
) as Description

/** A hash for each operation, which covers the shapes that it names. */
export function digests(): Record<string, string> {
  const { paths, components } = shapesOnly
  const operations = Object.values(paths).flatMap((methods) => Object.values(methods))
  const shapes = (operation: Json): unknown[] =>
    [...JSON.stringify(operation).matchAll(/#\/components\/schemas\/(?!Problem\b)(\w+)/g)].map(
      ([, name]) => components.schemas[name!],
    )
  return Object.fromEntries(
    operations.map((each) => [each['operationId'], sha256(JSON.stringify([each, shapes(each)])).slice(0, 12)]),
  )
}
