import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { attachmentReader, tinyPng } from '../support/attachable.ts'
import { callTool } from '../support/call-tool.ts'
import { type RemoteWorld, startRemoteWorld } from '../support/remote-world.ts'

describe('files and a team on another machine', () => {
  let world: RemoteWorld
  beforeAll(async () => {
    world = await startRemoteWorld({ script: attachmentReader })
    writeFileSync(join(world.iris.world.directory('frontend'), 'here.txt'), 'the word is heron')
    const there = world.host.directory('backend')
    writeFileSync(join(there, 'there.txt'), 'the word is egret')
    writeFileSync(join(there, 'shot.png'), tinyPng)
    symlinkSync('/etc/hostname', join(there, 'link.txt'))
    mkdirSync(join(there, 'releases/5'), { recursive: true })
    writeFileSync(join(there, 'releases/hidden.txt'), 'hidden')
    symlinkSync('releases/hidden.txt', join(there, 'alias.txt'))
    symlinkSync('releases/5', join(there, 'current'))
    mkdirSync(join(there, '.claude'))
    const settings = { permissions: { deny: ['Read(./releases/hidden.txt)'] } }
    writeFileSync(join(there, '.claude/settings.json'), JSON.stringify(settings))
    writeFileSync(join(there, 'own.txt'), 'own')
    // The settings of a person who keeps them in a repository.
    const dotfiles = join(world.host.home, 'dotfiles')
    mkdirSync(dotfiles)
    mkdirSync(join(world.host.home, '.claude'), { recursive: true })
    writeFileSync(join(dotfiles, 'settings.json'), JSON.stringify({ permissions: { deny: ['Read(./own.txt)'] } }))
    symlinkSync(join(dotfiles, 'settings.json'), join(world.host.home, '.claude/settings.json'))
  })
  afterAll(() => world[Symbol.asyncDispose]())

  const send = (fromTeam: string, toTeam: string, ...paths: readonly string[]) =>
    callTool(world.iris, 'send_message', {
      fromTeam,
      toTeam,
      message: 'look',
      timeout: 60_000,
      attachments: paths.map((path) => ({ path })),
    })

  test('it reads a file of this machine there, without a question', async () => {
    expect(await send('frontend', 'backend', 'here.txt')).toMatchObject({
      status: 'completed',
      response: expect.stringContaining('the word is heron'),
    })
  })

  test('it attaches files of its project, and none outside of it', async () => {
    expect(await send('backend', 'frontend', 'there.txt', 'shot.png')).toMatchObject({
      status: 'completed',
      response: expect.stringContaining('the word is egret'),
    })
    const { error } = await send('backend', 'frontend', 'link.txt')
    expect(error).toMatchObject({ code: 'file_refused', message: expect.stringContaining('outside of the project') })
  })
  test.each([
    ['no link leads past what the settings of its project deny', 'alias.txt', 'not_allowed'],
    ['nor past it with `..` behind it', './current/../hidden.txt', 'file_refused'],
    ['what linked settings of the person there deny is refused', 'own.txt', 'not_allowed'],
  ])('%s', async (_what, path, code) => {
    expect(await send('backend', 'frontend', path)).toMatchObject({ error: { code } })
  })
})
