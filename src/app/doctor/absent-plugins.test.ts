import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { scratchDirectory } from '../../../test/support/scratch.ts'
import { absentPlugins } from './absent-plugins.ts'

test('a plugin is absent only if nobody installed it and no marketplace may have it', () => {
  using scratch = scratchDirectory()
  const write = (name: string, value: unknown): void => {
    mkdirSync(join(scratch.path, name, '..'), { recursive: true })
    writeFileSync(join(scratch.path, name), JSON.stringify(value))
  }
  const ask = (...plugins: string[]) =>
    absentPlugins({ plugins, marketplaces: ['declared'] }, scratch.path).map(({ text }) => text)
  const absent = (name: string): string => `The plugin ${name} is enabled in the settings, and is not installed.`
  expect(ask('a@gone', 'b@declared', 'c@builtin', 'noMarketplace', '@gone')).toEqual([absent('a@gone')])

  write('shop/.claude-plugin/marketplace.json', { name: 'shop', plugins: [{ name: 'listed' }, 7] })
  const place = (name: string) => ({ installLocation: join(scratch.path, name) })
  write('plugins/known_marketplaces.json', { shop: place('shop'), unreadable: place('nowhere'), odd: {} })
  write('plugins/installed_plugins.json', { version: 2, plugins: { 'old@gone': [{ scope: 'user' }] } })
  expect(ask('listed@shop', 'unlisted@shop', 'x@unreadable', 'x@odd', 'old@gone', 'new@gone')).toEqual([
    absent('unlisted@shop'),
    absent('new@gone'),
  ])
})
