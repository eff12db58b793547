import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Line } from '../../src/app/probe/cli.ts'
import { eventually } from '../support/eventually.ts'
import { type PinWorld, pinWorld } from '../support/pin-world.ts'
import { claudeBinary, claudeVersions, cliEnvironment } from '../support/real-claude.ts'
import { asUsedBefore, Terminal } from '../support/terminal.ts'

describe.each(claudeVersions)('the registry of living processes of Claude Code %s', (version) => {
  let world: PinWorld
  const sessionId = crypto.randomUUID()
  beforeAll(async () => {
    world = await pinWorld(version, ({ conversation }) => ({ text: `answer to ${conversation.userTexts.join(' | ')}` }))
  })
  afterAll(() => world[Symbol.asyncDispose]())

  const directory = () => join(world.home, '.claude/sessions')
  const entries = (): Line[] => {
    const names = existsSync(directory()) ? readdirSync(directory()).filter((name) => /^\d+\.json$/.test(name)) : []
    return names.flatMap((name) => {
      try {
        return [JSON.parse(readFileSync(join(directory(), name), 'utf8'))]
      } catch {
        return []
      }
    })
  }
  const textOf = ({ message }: Line) => String(message?.content)
  const startOf = (pid: number) => readFileSync(`/proc/${pid}/stat`, 'latin1').split(') ').at(-1)!.split(' ')[19]

  test('a headless process is in it from its start to its end, with the time it was started', async () => {
    const cli = world.start({ args: ['--session-id', sessionId] })
    await cli.request({ subtype: 'initialize' })
    // On a busy machine the CLI answers before it has written its entry.
    await eventually(() => entries().length > 0, 'it is in the registry')
    expect(entries()).toMatchObject([{ pid: cli.pid, sessionId, procStart: startOf(cli.pid), version }])
    await cli.turn('one')
    await cli.end()
    expect(entries()).toEqual([])
  })

  test('a killed process stays in it', async () => {
    const cli = world.start({ args: ['--resume', sessionId] })
    await cli.request({ subtype: 'initialize' })
    await eventually(() => entries().length > 0, 'it is in the registry')
    await cli.kill()
    expect(entries()).toMatchObject([{ pid: cli.pid, sessionId }])
  })

  test('in a terminal /clear and /branch give the same process another session', async () => {
    asUsedBefore(join(world.home, '.claude.json'), world.project)
    const env = cliEnvironment({ version, home: world.home, modelUrl: world.model.url })
    await using person = new Terminal(`exec ${claudeBinary(version)} --resume ${sessionId}`, {
      cwd: world.project,
      env,
    })
    const living = () => entries().find(({ pid }) => existsSync(`/proc/${pid}`))
    await eventually(() => String(living()?.sessionId) === sessionId, 'the person is in the registry')
    const { pid } = living()!
    await person.shows('❯')
    await person.type('two')
    await person.shows('answer to one | two')
    await person.type('/clear')
    const afterClear = await changed(sessionId)
    // It may have a file by then, without a message.
    expect(world.transcript(afterClear)).toEqual([])
    await person.type('three')
    await eventually(() => world.transcript(afterClear).length > 2, 'the cleared session has a transcript')
    expect(world.transcript(afterClear).map(textOf)).toContainEqual(expect.stringMatching(/^<command-name>\/clear</))
    await person.type('/branch')
    const branch = await changed(afterClear)
    await eventually(() => world.transcriptFile(branch) !== undefined, 'the branch has a transcript')
    expect(world.transcript(branch)[0]).toMatchObject({ forkedFrom: { sessionId: afterClear } })
    await person.type('/exit')
    await person.exited()
    expect(living()).toBeUndefined()

    async function changed(from: string): Promise<string> {
      await eventually(() => living() !== undefined && String(living()!.sessionId) !== from, 'the session changes')
      expect(living()!.pid).toBe(pid)
      return String(living()!.sessionId)
    }
  })
})
