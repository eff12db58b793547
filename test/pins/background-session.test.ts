import { execFile } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { sessionRefusal } from '../../src/claude/driver/session-refusal.ts'
import { eventually } from '../support/eventually.ts'
import { type PinWorld, pinWorld } from '../support/pin-world.ts'
import { type ClaudeVersion, claudeBinary, cliEnvironment, contractVersions } from '../support/real-claude.ts'
import { Person } from '../support/registered-person.ts'
import { asUsedBefore } from '../support/terminal.ts'

const run = promisify(execFile)
const copy = 'add --fork-session to branch off a copy'

/** A conversation that has one answer and no process. */
async function conversation(version: ClaudeVersion) {
  const world = await pinWorld(version, ({ conversation: { lastUserText } }) => ({ text: `answer to ${lastUserText}` }))
  const sessionId = crypto.randomUUID()
  const cli = world.start({ args: ['--session-id', sessionId] })
  await cli.turn('first')
  await cli.end()
  return { world, sessionId }
}

/** What the CLI writes to stderr when it is to resume the conversation, without a word on stdout. */
async function refusal(world: PinWorld, sessionId: string): Promise<string> {
  const again = world.start({ args: ['--resume', sessionId] })
  expect(await again.exited).toEqual({ code: 1, signal: null })
  expect(again.lines).toEqual([])
  return again.stderr
}

test.each(contractVersions)(
  'Claude Code %s does not resume what its registry names as open in a background session',
  async (version) => {
    const { world, sessionId } = await conversation(version)
    await using _ = world
    await using _background = new Person(join(world.home, '.claude'), sessionId, { job: 'e7c9fa18' })
    const said = await refusal(world, sessionId)
    expect(said).toBe(
      {
        '2.1.330': `Error: That session is running in the background. Run \`claude agents\` to find it and open it, or stop it there first to resume it here. A${copy.slice(1)} instead.\n`,
        '2.1.197': `Error: Session ${sessionId} is currently running as a background agent (bg). Use \`claude agents\` to find and attach to it, or ${copy}.\n`,
      }[version],
    )
    expect(sessionRefusal(said)).toEqual({ kind: 'background', job: undefined })
  },
)

const newest = contractVersions.filter((version) => version === '2.1.330')

test.each(newest)(
  'claude --bg --resume of %s keeps the id, registers as a background session, and is named',
  async (version) => {
    const { world, sessionId } = await conversation(version)
    await using _ = world
    asUsedBefore(join(world.home, '.claude.json'), world.project)
    const claude = async (...args: readonly string[]): Promise<string> => {
      const env = cliEnvironment({ version, home: world.home, modelUrl: world.model.url })
      return (await run(claudeBinary(version), [...args], { cwd: world.project, env })).stdout
    }
    const [, job = ''] = /^backgrounded · (\w+)/.exec(await claude('--bg', '--resume', sessionId)) ?? []
    try {
      const entry = () => {
        const directory = join(world.home, '.claude/sessions')
        const name = existsSync(directory) ? readdirSync(directory).find((each) => /^\d+\.json$/.test(each)) : undefined
        return name === undefined ? undefined : JSON.parse(readFileSync(join(directory, name), 'utf8'))
      }
      await eventually(() => entry()?.jobId !== undefined, 'it is in the registry')
      expect(entry()).toMatchObject({ sessionId, kind: 'bg', jobId: job })
      const said = await refusal(world, sessionId)
      expect(said).toBe(
        `Error: That session is running in the background (${job}). Run \`claude attach ${job}\` to open it, or \`claude stop ${job}\` first to resume it here. A${copy.slice(1)} instead.\n`,
      )
      expect(sessionRefusal(said)).toEqual({ kind: 'background', job })
    } finally {
      await claude('stop', job)
    }
  },
)
