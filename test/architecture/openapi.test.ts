import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { descriptionFile, descriptionText, digests, releasedFile } from '../../scripts/openapi-files.ts'

const read = (path: string): string => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8')

test('docs/openapi.json describes the API as it is: `npm run generate` writes it', () => {
  expect(read(descriptionFile)).toBe(descriptionText)
})

test('CHANGELOG names each operation of the HTTP API that differs from the last release', () => {
  const released = JSON.parse(read(releasedFile)) as { readonly operations: Readonly<Record<string, string>> }
  const now = digests()
  const names = new Set([...Object.keys(now), ...Object.keys(released.operations)])
  const changed = [...names].filter((name) => now[name] !== released.operations[name])
  const [, unreleased = ''] = read('CHANGELOG.md').split(/^## /m)
  expect(changed.filter((name) => !unreleased.includes(`\`${name}\``))).toEqual([])
})
