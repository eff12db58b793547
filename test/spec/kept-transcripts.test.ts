import { existsSync, rmSync, statSync, utimesSync } from 'node:fs'
import { expect, test } from 'vitest'
import type { Script } from '../../src/app/demo/script.ts'
import { ask, callTool } from '../support/call-tool.ts'
import { eventually } from '../support/eventually.ts'
import { TestIris } from '../support/iris.ts'
import { asPerson } from '../support/person.ts'
import { type ClaudeVersion, claudeBinary, claudeVersions, eitherOf } from '../support/real-claude.ts'
import { transcriptPath } from '../support/transcript-path.ts'
import { spoken, type WorldOptions } from '../support/world.ts'

const fromTeam = 'frontend'
const dayMs = 86_400_000
const remembers: Script = ({ conversation }) => ({ text: conversation.userTexts.map(spoken).join(' | ') })

function makeOld(file: string, days: number): void {
  const then = new Date(Date.now() - days * dayMs)
  utimesSync(file, then, then)
}

/** A conversation whose process has ended, and its transcript. */
async function spokenOnce(options: Pick<WorldOptions, 'claude' | 'settings'>) {
  const iris = await TestIris.start({ script: remembers, ...options })
  const { sessionId } = await ask(iris, 'backend', 'one', { fromTeam })
  await callTool(iris, 'team_sleep', { team: 'backend', fromTeam })
  const transcript = (await transcriptPath(iris.world.claudeDirectory, sessionId))!
  return { iris, sessionId, transcript }
}

/** A person's own Claude Code starts in another project, and deletes by his settings. */
async function sweepAsPerson(iris: TestIris, version: ClaudeVersion, transcript: string): Promise<void> {
  makeOld(transcript, 45)
  await asPerson(iris.world, version, { team: 'mobile' }, async (cli) => {
    await cli.turn('hello')
    await eventually(() => !existsSync(transcript), 'the CLI has cleaned up')
  })
}

// Side by side: a CLI cleans up some seconds after its start.
test.concurrent.each(claudeVersions)(
  'a conversation of 45 days that a person’s Claude Code %s has swept goes on where it was',
  { timeout: 240_000 },
  async (version) => {
    const { iris, sessionId, transcript } = await spokenOnce({ settings: { claudePath: claudeBinary(version) } })
    await using _ = iris
    await sweepAsPerson(iris, version, transcript)
    const second = await ask(iris, 'backend', 'two', { fromTeam })
    expect(second).toMatchObject({ status: 'completed', response: 'one | two', sessionId })
    expect(second).not.toHaveProperty('contextReset')
    expect(existsSync(transcript)).toBe(true)
  },
)

test.concurrent.each(claudeVersions)(
  'a conversation that Claude Code %s swept while Iris was away is put back at its start',
  { timeout: 240_000 },
  async (version) => {
    const { iris, transcript } = await spokenOnce(eitherOf(version))
    await using _ = iris
    const { size } = statSync(transcript)
    await iris.daemon.stop(0)
    await sweepAsPerson(iris, version, transcript)
    await iris.restart()
    expect(await iris.event('sessions-discovered')).toMatchObject({ found: 0, restored: 1, missing: 0 })
    expect(statSync(transcript).size).toBe(size)
    expect(await ask(iris, 'backend', 'two', { fromTeam })).toMatchObject({ response: 'one | two' })
  },
)

test.concurrent.each(claudeVersions)(
  'a transcript deleted under a living process of Claude Code %s is whole again for the next one',
  async (version) => {
    const { iris, sessionId, transcript } = await spokenOnce({ settings: { claudePath: claudeBinary(version) } })
    await using _ = iris
    await ask(iris, 'backend', 'two', { fromTeam })
    rmSync(transcript)
    expect(await ask(iris, 'backend', 'three', { fromTeam })).toMatchObject({ response: 'one | two | three' })
    await callTool(iris, 'team_sleep', { team: 'backend', fromTeam })
    const last = await ask(iris, 'backend', 'four', { fromTeam })
    expect(last).toMatchObject({ response: 'one | two | three | four', sessionId })
    expect(last).not.toHaveProperty('contextReset')
  },
)

test('an old transcript is young enough for a sweep after a start, and stands behind the last week', async () => {
  const { iris, transcript } = await spokenOnce({ claude: 'either' })
  await using _ = iris
  makeOld(transcript, 29)
  await iris.restart()
  await iris.daemon.discovered
  const age = Date.now() - statSync(transcript).mtimeMs
  expect(age).toBeGreaterThanOrEqual(7 * dayMs)
  expect(age).toBeLessThan(8 * dayMs)
})

test('a conversation whose transcript is lost for good is marked, announced, and begins afresh with the reason', async () => {
  const { iris, transcript } = await spokenOnce({ claude: 'either' })
  await using _ = iris
  await iris.daemon.stop(0)
  rmSync(transcript)
  rmSync(`${iris.world.home}/data/transcripts`, { recursive: true })
  await iris.restart()
  expect(await iris.event('sessions-discovered')).toMatchObject({ restored: 0, missing: 1 })
  expect(missing(iris)).toEqual([expect.any(Number)])
  const second = await ask(iris, 'backend', 'two', { fromTeam })
  expect(second).toMatchObject({ response: 'two', contextReset: expect.stringContaining('no longer has a transcript') })
})

function missing(iris: TestIris): unknown[] {
  return iris.rows('SELECT transcript_missing_since AS since FROM team_sessions').map(({ since }) => since)
}
