import { existsSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { initialize, pipeHost } from '../../src/app/probe/pipe-host.ts'
import { eventually } from '../support/eventually.ts'
import { type PinWorld, pinWorld } from '../support/pin-world.ts'
import { claudeVersions } from '../support/real-claude.ts'

describe.each(claudeVersions)('ending Claude Code %s', (version) => {
  let world: PinWorld
  let noted: string
  beforeAll(async () => {
    world = await pinWorld(version, ({ conversation: { lastUserText, step } }) => {
      if (lastUserText !== 'work' || step > 0) return { text: 'done' }
      const command = `echo "$$ $IRIS_PIN" > ${noted}.new; mv ${noted}.new ${noted}; sleep 60`
      return { toolUses: [{ name: 'Bash', input: { command } }] }
    })
    noted = join(world.project, 'noted')
  })
  afterAll(() => world[Symbol.asyncDispose]())

  async function busy() {
    rmSync(noted, { force: true })
    const cli = world.start({ answer: pipeHost().answer, env: { IRIS_PIN: 'the mark' } })
    await cli.request(initialize)
    cli.say('work')
    await eventually(() => existsSync(noted), 'the tool has started')
    const [pid, mark] = readFileSync(noted, 'utf8').trim().split(/ (.*)/)
    return { cli, shell: Number(pid), mark }
  }

  test('SIGTERM in the middle of a tool: exit 143; 2.1.330 takes the children along, 2.1.197 leaves them', async () => {
    const { cli, shell, mark } = await busy()
    expect(mark).toBe('the mark')
    expect(readFileSync(`/proc/${shell}/environ`, 'utf8').split('\0')).toContain('IRIS_PIN=the mark')
    expect(await cli.kill('SIGTERM')).toEqual({ code: 143, signal: null })
    const takesAlong = version === '2.1.330'
    // They have a moment to end in.
    if (takesAlong) await eventually(() => !isAlive(shell), 'the children have ended')
    expect(aliveThenKilled(shell)).toBe(!takesAlong)
  })

  test('SIGKILL in the middle of a tool leaves the children, which are in a session of their own', async () => {
    const { cli, shell } = await busy()
    const [, , , , , sessionOfShell] = readFileSync(`/proc/${shell}/stat`, 'utf8').split(' ')
    expect(Number(sessionOfShell)).toBe(shell)
    expect(await cli.kill('SIGKILL')).toEqual({ code: null, signal: 'SIGKILL' })
    expect(aliveThenKilled(shell)).toBe(true)
  })

  test('the end of stdin: the running turn is finished, exit 0', async () => {
    const cli = world.start()
    await cli.request({ subtype: 'initialize' })
    cli.say('hello')
    expect(await cli.end()).toEqual({ code: 0, signal: null })
    expect(cli.lines.filter(({ type }) => String(type) === 'result')).toMatchObject([{ result: 'done' }])
  })
})

function isAlive(group: number, signal: 0 | 'SIGKILL' = 0): boolean {
  try {
    return process.kill(-group, signal)
  } catch {
    return false
  }
}

function aliveThenKilled(group: number): boolean {
  return isAlive(group, 'SIGKILL')
}
