import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { Script } from '../../src/app/demo/script.ts'
import { ask, callTool, refusal } from '../support/call-tool.ts'
import { DaemonProcess } from '../support/daemon-process.ts'
import { eventually } from '../support/eventually.ts'
import { TestIris } from '../support/iris.ts'
import { claudeBinary, claudeVersions } from '../support/real-claude.ts'
import { isBrief } from '../support/tier.ts'
import { createWorld, spoken } from '../support/world.ts'

const yes = { grantPermission: 'yes', dangerous: true }
const flow =
  "export const meta = { name: 'look', description: 'look around', phases: [] }\nreturn await agent('work on it')"

/** Starts what runs in the background whatever Iris does, says something, and learns of its end by nobody. */
const script: Script = ({ conversation: { lastUserText, step } }) => {
  if (lastUserText.includes('<iris-continuation>')) return { text: 'taken up again' }
  if (lastUserText.includes('<task-notification>')) return { text: 'reported' }
  if (lastUserText.includes('work on it')) {
    return { toolUses: [{ name: 'Bash', input: { command: 'echo begun >> begun; sleep 600', description: 'works' } }] }
  }
  if (step === 0) return { toolUses: [{ name: 'Workflow', input: { script: flow } }] }
  return { text: 'it is under way' }
}

test.each(
  claudeVersions.flatMap((version) => [
    ...(isBrief ? [] : [[version, 'the daemon'] as const]),
    [version, 'claude, then the daemon'] as const,
  ]),
)('%s: kill -9 of %s while an answer waits for the background: it is continued', async (version, which) => {
  const settings = { claudePath: claudeBinary(version) }
  await using world = await createWorld({ script, settings, teams: { frontend: {}, backend: yes } })
  await using first = await DaemonProcess.start(world)
  const call = { fromTeam: 'frontend', idempotencyKey: 'once' }
  const { turnId } = await ask(first, 'backend', 'look', { ...call, timeout: -1 })
  const begun = join(world.directory('backend'), 'begun')
  await eventually(async () => {
    const { partialResponse } = await callTool(first, 'message_status', { turnId })
    return partialResponse === 'it is under way' && existsSync(begun)
  }, 'it has said something, and its agent is at work')
  if (which !== 'the daemon') {
    const { teams } = (await callTool(first, 'team_status')) as {
      teams: { name: string; sessions: { pid?: number }[] }[]
    }
    process.kill(teams.find(({ name }) => name === 'backend')!.sessions[0]!.pid!, 'SIGKILL')
  }
  await first.kill()

  await using second = await DaemonProcess.start(world)
  expect(await ask(second, 'backend', 'look', call)).toMatchObject({
    turnId,
    status: 'completed',
    response: 'taken up again',
  })
  expect(readFileSync(begun, 'utf8')).toBe('begun\n')
})

test.each(claudeVersions)(
  '%s: a fork and a damaged store take what was said before the report for no answer',
  async (version) => {
    const heard: string[] = []
    const reporting: Script = async (request) => {
      const { lastUserText, step, userTexts } = request.conversation
      if (lastUserText.includes('<iris-message') && spoken(lastUserText) === 'what was said?') {
        heard.push(...userTexts)
        return { text: 'this' }
      }
      if (!lastUserText.includes('work on it')) return script(request)
      const command = 'while [ ! -e report ]; do sleep 0.05; done; rm report'
      return step === 0 ? { toolUses: [{ name: 'Bash', input: { command, description: 'works' } }] } : { text: 'found' }
    }
    const settings = { claudePath: claudeBinary(version) }
    await using iris = await TestIris.start({
      script: reporting,
      settings,
      teams: { frontend: {}, backend: yes, mobile: yes },
    })
    const report = (team: string) => writeFileSync(join(iris.world.directory(team), 'report'), '')
    const begin = async (team: string) => {
      const { turnId } = await ask(iris, team, 'look', { fromTeam: 'frontend', timeout: -1 })
      const saidSoFar = async () => (await callTool(iris, 'message_status', { turnId }))['partialResponse']
      await eventually(async () => (await saidSoFar()) === 'it is under way', `${team} has said something`)
      return turnId
    }
    const fork = { toTeam: 'backend', fromTeam: 'frontend', newThread: 'try' }

    const whole = await begin('backend')
    expect(await refusal(iris, 'session_fork', fork)).toMatchObject({ code: 'nothing_to_fork' })
    report('backend')
    const answer = { status: 'completed', response: 'it is under way\n\nreported' }
    expect(await callTool(iris, 'message_status', { turnId: whole, timeout: 0 })).toMatchObject(answer)
    await callTool(iris, 'session_fork', { ...fork, fromTurn: whole })
    await ask(iris, 'backend', 'what was said?', { fromTeam: 'frontend', thread: 'try' })
    expect(heard.some((text) => text.includes('<task-notification>'))).toBe(true)

    const half = await begin('mobile')
    await iris.daemon.stop(0)
    writeFileSync(join(iris.world.home, 'data/team-sessions.db'), 'no database at all, '.repeat(1000))
    await iris.restart()
    await iris.daemon.recovered
    expect(await callTool(iris, 'message_status', { turnId: whole })).toMatchObject(answer)
    expect(await callTool(iris, 'message_status', { turnId: half })).toMatchObject({ status: 'in_doubt' })
  },
)
