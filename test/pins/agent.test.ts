import { describe, expect, test } from 'vitest'
import { initialize, pipeHost } from '../../src/app/probe/pipe-host.ts'
import { pinWorld } from '../support/pin-world.ts'
import { writeFiles } from '../support/project-tree.ts'
import { claudeVersions } from '../support/real-claude.ts'

const definition =
  '---\nname: reviewer\ndescription: Reviews\ntools: Read, Grep\nmodel: haiku\n---\nYou are THE REVIEWER.\n'

describe.each(claudeVersions)('%s', (version) => {
  test('says at its start which agents there are, is the one it is told, and stays it when resumed', async () => {
    await using world = await pinWorld(version, () => ({ text: 'ok' }))
    writeFiles(world.project, { '.claude/agents/reviewer.md': definition })
    const id = crypto.randomUUID()
    for (const args of [
      ['--session-id', id, '--agent', 'reviewer'],
      ['--resume', id],
    ]) {
      const cli = world.start({ args, answer: pipeHost().answer })
      const { agents } = await cli.request(initialize)
      expect(agents).toContainEqual({ name: 'reviewer', description: 'Reviews', model: 'haiku' })
      const lines = await cli.turn('hello')
      expect(lines.find(({ subtype }) => String(subtype) === 'init')).toMatchObject({ tools: ['Read', 'Grep'] })
      expect(JSON.stringify(world.model.requests.recent.at(-1)!.body)).toContain('You are THE REVIEWER.')
      await cli.end()
    }
  })

  test('goes on as itself when it does not know the agent', async () => {
    await using world = await pinWorld(version, () => ({ text: 'ok' }))
    const cli = world.start({
      args: ['--session-id', crypto.randomUUID(), '--agent', 'nobody'],
      answer: pipeHost().answer,
    })
    await cli.request(initialize)
    expect((await cli.turn('hello')).at(-1)).toMatchObject({ type: 'result', result: 'ok', is_error: false })
  })
})
