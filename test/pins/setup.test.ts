import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Cli, type Line } from '../../src/app/probe/cli.ts'
import { initialize, pipeHost } from '../../src/app/probe/pipe-host.ts'
import { type PinWorld, pinWorld } from '../support/pin-world.ts'
import { claudeVersions } from '../support/real-claude.ts'

describe.each(claudeVersions)('what Claude Code %s says that it ignores', (version) => {
  let world: PinWorld
  let cli: Cli
  const settings = (): string => join(world.project, '.claude', 'settings.json')
  const write = (value: object): void => writeFileSync(settings(), JSON.stringify(value))
  beforeAll(async () => {
    world = await pinWorld(version, () => ({ text: 'done' }))
    const plugin = join(world.home, 'lint')
    for (const directory of [join(world.project, '.claude'), join(plugin, '.claude-plugin')])
      mkdirSync(directory, { recursive: true })
    writeFileSync(join(plugin, '.claude-plugin', 'plugin.json'), '{"name": "lint", "hooks": "./gone.json"}')
    write({ model: 3, permissions: { deny: ['Bash(touch *)'] } })
    cli = world.start({ answer: pipeHost().answer, args: ['--plugin-dir', plugin] })
    await cli.request(initialize)
  })
  afterAll(() => world[Symbol.asyncDispose]())

  test('one wrong value costs the whole file', async () => {
    const { errors, sources } = await cli.request({ subtype: 'get_settings' })
    const message = 'Expected string, but received number'
    expect(errors).toEqual([{ file: settings(), path: 'model', message }])
    expect(JSON.stringify(sources)).not.toContain('touch')
  })

  test('a rule that is none is dropped in silence', async () => {
    write({ permissions: { deny: ['Bash(touch *)', 'nonsense('] } })
    const other = world.start({ answer: pipeHost().answer })
    await other.request(initialize)
    const { errors, sources } = await other.request({ subtype: 'get_settings' })
    expect(errors).toBeUndefined()
    expect(JSON.stringify(sources)).toContain('"deny":["Bash(touch *)"]')
  })

  test('a plugin that was loaded with a fault is named with each message', async () => {
    const lines: readonly Line[] = await cli.turn('hello')
    const init = lines.find(({ subtype }) => String(subtype) === 'init')
    expect(init?.plugin_errors).toEqual([
      { plugin: 'lint@inline', type: 'path-not-found', message: expect.stringContaining('gone.json') },
    ])
    expect(init?.plugins).toContainEqual(expect.objectContaining({ source: 'lint@inline' }))
  })
})
