import { linkSync, readFileSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { type Cli } from '../../src/app/probe/cli.ts'
import { eventually } from '../support/eventually.ts'
import { type PinWorld, pinWorld } from '../support/pin-world.ts'
import { type ClaudeVersion, claudeVersions } from '../support/real-claude.ts'

/** A conversation that has answered once, by a living process. */
async function spokenOnce(version: ClaudeVersion) {
  const world = await pinWorld(version, ({ conversation }) => ({ text: `after ${conversation.userTexts.length}` }))
  const sessionId = crypto.randomUUID()
  const cli = world.start({ args: ['--session-id', sessionId] })
  await cli.request({ subtype: 'initialize' })
  await cli.turn('one')
  const file = await eventually(() => world.transcriptFile(sessionId), 'there is a transcript')
  return { world, sessionId, cli, file }
}

/** The transcript is written late. */
function written(world: PinWorld, sessionId: string, text: string): Promise<unknown> {
  const holds = () => JSON.stringify(world.transcript(sessionId)).includes(text)
  return eventually(holds, `the transcript holds ${text}`)
}

async function resumed(world: PinWorld, sessionId: string): Promise<Cli> {
  const cli = world.start({ args: ['--resume', sessionId] })
  await cli.request({ subtype: 'initialize' })
  return cli
}

describe.each(claudeVersions)('the file of a transcript of Claude Code %s', (version) => {
  test('is the same one through turns, compaction and resumption, and only grows', async () => {
    const { world, sessionId, cli, file } = await spokenOnce(version)
    await using _ = world
    const kept = join(world.home, 'kept')
    linkSync(file, kept)
    const beginning = readFileSync(file, 'utf8')
    await cli.turn('two')
    await cli.turn('/compact')
    await cli.end()
    const next = await resumed(world, sessionId)
    await next.turn('three')
    await next.end()
    expect(statSync(file).ino).toBe(statSync(kept).ino)
    expect(readFileSync(kept, 'utf8').startsWith(beginning)).toBe(true)
    expect(readFileSync(kept, 'utf8')).toContain('three')
  })

  test('deleted under a living process is started over, following upon what is gone', async () => {
    const { world, sessionId, cli, file } = await spokenOnce(version)
    await using _ = world
    await written(world, sessionId, 'after 1')
    const gone = join(world.home, 'gone')
    linkSync(file, gone)
    rmSync(file)
    await cli.turn('two')
    await written(world, sessionId, 'after 2')
    await cli.end()
    const [first] = world.transcript(sessionId)
    expect(JSON.stringify(world.transcript(sessionId))).not.toContain('after 1')
    expect(readFileSync(gone, 'utf8')).toContain(`"uuid":"${first?.['parentUuid']}"`)
  })
})
