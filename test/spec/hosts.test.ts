import { existsSync, readdirSync, readFileSync, symlinkSync, unlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Script } from '../../src/app/demo/script.ts'
import { diagnose } from '../../src/app/doctor/doctor.ts'
import { ask, callTool, refusal } from '../support/call-tool.ts'
import { eventually } from '../support/eventually.ts'
import { answerPermission, asOwner, questionOf } from '../support/owner.ts'
import { loginOf, type RemoteWorld, startRemoteWorld } from '../support/remote-world.ts'
import { spoken } from '../support/world.ts'

/** `run <command>` uses Bash, `ask <team> <message>` asks that team; all else is repeated. */
const script: Script = ({ conversation: { lastUserText, step, toolResults } }) => {
  const said = spoken(lastUserText)
  const [verb, ...words] = said.split(' ')
  if (verb !== 'run' && verb !== 'ask') return { text: `You said: ${said}` }
  if (step > 0) return { text: `It said: ${toolResults.at(-1)?.text ?? ''}` }
  const [toTeam, ...message] = words
  return verb === 'run'
    ? { toolUses: [{ name: 'Bash', input: { command: words.join(' ') } }] }
    : { toolUses: [{ name: 'mcp__iris__send_message', input: { toTeam, message: message.join(' '), timeout: 0 } }] }
}

describe('a team on another machine', () => {
  let world: RemoteWorld
  beforeAll(async () => {
    world = await startRemoteWorld({ claude: 'either', script })
  })
  afterAll(() => world[Symbol.asyncDispose]())

  test('answers a team of this one, with the real Claude Code there and its transcript there', async () => {
    const { iris, host } = world
    const answer = await ask(iris, 'backend', 'are you there?', { fromTeam: 'frontend' })
    expect(answer).toMatchObject({ status: 'completed', response: 'You said: are you there?' })
    const projects = readdirSync(join(host.home, '.claude/projects'))
    expect(projects).toEqual([host.directory('backend').replace(/[^a-zA-Z0-9]/g, '-')])
    expect(existsSync(join(iris.world.claudeDirectory, 'projects', projects[0]!))).toBe(false)
  })

  test('runs a tool there once a person here has allowed it, and the start of the tool is on record before', async () => {
    const { iris, host } = world
    const asked = ask(iris, 'backend', 'run pwd > made && hostname', { fromTeam: 'frontend' })
    const question = await questionOf(iris, 'backend')
    expect(question.input).toMatchObject({ command: 'pwd > made && hostname' })
    expect(existsSync(join(host.directory('backend'), 'made'))).toBe(false)
    expect(iris.rows('SELECT name FROM tool_starts')).toEqual([{ name: 'Bash' }])
    await answerPermission(iris, question, 'allow')
    expect(await asked).toMatchObject({ status: 'completed' })
    expect(readFileSync(join(host.directory('backend'), 'made'), 'utf8').trim()).toBe(host.directory('backend'))
  })

  test('is asked by an agent of this machine, and asks another one over its pipe', async () => {
    const { iris } = world
    const answer = await ask(iris, 'mobile', 'ask backend ask frontend hello')
    expect(answer.status).toBe('completed')
    expect(answer.response).toContain('You said: hello')
    expect(iris.rows('SELECT hop FROM turns ORDER BY hop DESC LIMIT 1')).toEqual([{ hop: 3 }])
  })

  test('goes on with its conversation after its process has ended, by the transcript there', async () => {
    const { iris } = world
    const first = await ask(iris, 'backend', 'one', { fromTeam: 'mobile' })
    await callTool(iris, 'team_sleep', { team: 'backend', fromTeam: 'mobile' })
    const second = await ask(iris, 'backend', 'two', { fromTeam: 'mobile' })
    expect(second).toMatchObject({ status: 'completed', sessionId: first.sessionId })
    const spawned = await iris.event('process-spawned', ({ from, resumed }) => from === 'mobile' && resumed)
    expect(spawned.sessionId).toBe(first.sessionId)
  })

  test('is listed with its machine, and doctor names the Claude Code there', { tags: ['thorough'] }, async () => {
    const { iris, host } = world
    const { teams } = (await callTool(iris, 'team_status', { team: 'backend' })) as { teams: object[] }
    expect(teams).toMatchObject([
      {
        config: { host: 'inanna', path: host.directory('backend') },
        link: { state: 'connected', since: expect.any(Number) },
        isolation: {
          level: 'home',
          holds: false,
          detail: expect.stringMatching(/^nothing is hidden: on another machine /),
        },
      },
    ])
    const { home, env } = iris.world
    const found = (await diagnose({ home, env, daemon: undefined })).filter(({ check }) => check === 'hosts')
    expect(found).toMatchObject([
      { state: 'ok', detail: expect.stringMatching(/^backend on inanna: Claude Code 2\.1\.330 \(\//) },
    ])
  })

  test('tells of its project with get_agent, and a link out of it tells nothing', async () => {
    const { iris, host } = world
    writeFileSync(join(host.root, 'secret'), 'the secret')
    writeFileSync(join(host.directory('backend'), 'package.json'), '{"name":"far-away"}')
    writeFileSync(join(host.directory('backend'), 'CLAUDE.md'), 'Names are Esperanto.')
    const plain = await asOwner(iris, 'get_agent', { agentType: 'tech-writer', team: 'backend' })
    expect(JSON.stringify(plain)).toContain('Names are Esperanto.')
    unlinkSync(join(host.directory('backend'), 'CLAUDE.md'))
    symlinkSync(join(host.root, 'secret'), join(host.directory('backend'), 'CLAUDE.md'))
    const made = await asOwner(iris, 'get_agent', { agentType: 'tech-writer', team: 'backend' })
    expect(JSON.stringify(made)).not.toContain('the secret')
    expect(JSON.stringify(made)).toContain('CLAUDE.md')
  })

  test('its copy of each transcript is kept here, and what is deleted there is put back', async () => {
    const { iris, host } = world
    const { sessionId } = await ask(iris, 'backend', 'keep me', { fromTeam: 'frontend', thread: 'kept' })
    await callTool(iris, 'team_sleep', { team: 'backend', fromTeam: 'frontend', thread: 'kept' })
    await iris.event('process-terminated', (event) => event.sessionId === sessionId)
    const [slug] = readdirSync(join(host.home, '.claude/projects'))
    const kept = join(iris.world.home, 'data/transcripts', slug!, `${sessionId}.jsonl`)
    const answered = 'You said: keep me'
    const copy = () => (existsSync(kept) ? readFileSync(kept, 'utf8') : '')
    await eventually(() => copy().includes(answered), 'the answer is in the copy')
    const there = join(host.home, '.claude/projects', slug!, `${sessionId}.jsonl`)
    unlinkSync(there)
    const again = await ask(iris, 'backend', 'still me', { fromTeam: 'frontend', thread: 'kept' })
    expect(again).toMatchObject({ status: 'completed', sessionId })
    expect(readFileSync(there, 'utf8')).toContain(answered)
  })
})

test('a machine that does not answer is an error with its reason, and nothing is asked of this one instead', async () => {
  await using world = await startRemoteWorld({ script })
  await world.host.stop()
  const answer = await ask(world.iris, 'backend', 'hello', { fromTeam: 'frontend' })
  expect(answer).toMatchObject({
    status: 'failed',
    detail: expect.stringContaining('no program accepts connections there'),
  })
  const error = await refusal(world.iris, 'team_wake', { team: 'backend', fromTeam: 'mobile' })
  expect(error).toMatchObject({ code: 'host_unreachable', remedy: expect.stringContaining(world.host.remote) })
  const { teams } = await asOwner(world.iris, 'team_status', { team: 'backend' })
  expect(teams).toMatchObject([{ link: { state: 'unreachable', why: expect.stringContaining('Connection refused') } }])
})

test('another command that gives a shell is a machine too', { tags: ['thorough'] }, async () => {
  await using world = await startRemoteWorld({ script })
  const { iris, host } = world
  const backend = {
    remote: `env HOME=${host.home} sh`,
    path: host.directory('backend'),
    env: loginOf(iris.world.model.url),
  }
  iris.world.writeConfig({ teams: { frontend: {}, backend } })
  await iris.event('config-reloaded')
  const answer = await ask(iris, 'backend', 'hello', { fromTeam: 'frontend' })
  expect(answer).toMatchObject({ status: 'completed', response: 'You said: hello' })
  expect(readdirSync(join(host.home, '.claude/projects'))).toHaveLength(1)
})
