import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Script } from '../../src/app/demo/script.ts'
import { ask, callTool, refusal } from '../support/call-tool.ts'
import { eventually } from '../support/eventually.ts'
import { TestIris } from '../support/iris.ts'
import { JumpingClock } from '../support/jumping-clock.ts'
import { answerPermission, asOwner, questionOf } from '../support/owner.ts'
import { claudeBinary, claudeVersions, contractVersions, eitherOf } from '../support/real-claude.ts'
import { spoken, type WorldOptions } from '../support/world.ts'

const fromTeam = 'frontend'
const permissionTimeout = 1_800_000

/** Runs the message as a command and repeats what came of it; a message of one word is just answered. */
const runs: Script = ({ conversation: { lastUserText, step, toolResults } }) => {
  const command = spoken(lastUserText)
  if (lastUserText.includes('<iris-continuation>')) return { text: 'went on' }
  if (!command.includes(' ')) return { text: `heard ${command}` }
  if (step === 0) return { toolUses: [{ name: 'Bash', input: { command, description: 'a step' } }] }
  return { text: `${toolResults.at(-1)?.isError ? 'refused: ' : ''}${toolResults.at(-1)?.text}` }
}

let clock: JumpingClock
let iris: TestIris

/** Starts Iris for the tests of a group. */
function withIris({ settings, ...options }: Pick<WorldOptions, 'claude' | 'settings'>): void {
  beforeAll(async () => {
    clock = new JumpingClock()
    const teams = ['frontend', 'backend']
    iris = await TestIris.start({
      ...options,
      script: runs,
      settings: { ...settings, permissionTimeout },
      clock,
      teams,
    })
  })
  afterAll(() => iris[Symbol.asyncDispose]())
}

const made = (file: string) => existsSync(join(iris.world.directory('backend'), file))
const asked = (file: string) =>
  iris
    .event('permission:request', ({ permission }) => String(permission.input['command']).includes(file))
    .then(({ permission }) => permission)
const say = (message: string) => ask(iris, 'backend', message, { fromTeam })
const stateOf = async (permissionId: string) => {
  const { permissions } = await asOwner(iris, 'list_permissions', { state: 'all' })
  return (permissions as { permissionId: string }[]).find((each) => each.permissionId === permissionId)
}

describe.each(contractVersions)('a person is asked whether Claude Code %s may use a tool', (version) => {
  withIris({ settings: { claudePath: claudeBinary(version) } })

  test('it waits, with everything that is to be known; allowed, it runs, and who allowed it is kept', async () => {
    const answered = say('echo done | tee one.txt')
    const question = await asked('one.txt')
    expect(question).toMatchObject({
      state: 'pending',
      team: 'backend',
      chain: ['frontend', 'backend'],
      toolName: 'Bash',
      input: { command: 'echo done | tee one.txt' },
      shown: expect.stringContaining('command: echo done | tee one.txt'),
      directory: iris.world.directory('backend'),
      deadline: question.askedAt + permissionTimeout,
    })
    expect(await asOwner(iris, 'list_permissions')).toMatchObject({ permissions: [question] })
    expect(made('one.txt')).toBe(false)
    expect(await answerPermission(iris, question, 'allow')).toMatchObject({ status: 'answered' })
    expect(await answered).toMatchObject({ status: 'completed', response: 'done' })
    expect(made('one.txt')).toBe(true)
    expect(await asOwner(iris, 'list_permissions')).toMatchObject({ permissions: [] })
    expect(await stateOf(question.permissionId)).toMatchObject({ state: 'allowed', decidedBy: 'owner', scope: 'once' })
    const audited = iris.rows(
      `SELECT actor, action, decision, input_hash FROM audit WHERE subject = '${question.permissionId}'`,
    )
    expect(audited).toEqual([
      { actor: 'owner', action: 'permission.answered', decision: 'allow', input_hash: question.inputHash },
    ])
  })

  test('allowed with another input, it runs with that one', async () => {
    const answered = say('touch meant.txt && echo meant')
    const updatedInput = { command: 'touch changed.txt && echo changed' }
    const { permission } = await answerPermission(iris, await asked('meant.txt'), 'allow', { updatedInput })
    expect(await answered).toMatchObject({ response: 'changed' })
    expect([made('meant.txt'), made('changed.txt')]).toEqual([false, true])
    expect(permission).toMatchObject({ updatedInput, input: { command: 'touch meant.txt && echo meant' } })
  })

  test('denied, it does not run, and the model hears why', async () => {
    const answered = say('touch denied.txt')
    await answerPermission(iris, await asked('denied.txt'), 'deny', { message: 'Use the other file.' })
    const response = 'refused: Team "backend" may not use Bash: the person who was asked says no: Use the other file.'
    expect(await answered).toMatchObject({ status: 'completed', response })
    expect(made('denied.txt')).toBe(false)
  })
})

describe.each(claudeVersions)('while a person is asked whether Claude Code %s may use a tool', (version) => {
  withIris(eitherOf(version))

  test('a process that dies takes its question along; the work goes on, and the old answer has no effect', async () => {
    const answered = say('touch killed.txt')
    const question = await asked('killed.txt')
    const { teams } = await callTool(iris, 'team_status', { team: 'backend' })
    process.kill((teams as { sessions: { pid: number }[] }[])[0]!.sessions[0]!.pid, 'SIGKILL')
    const { permission } = await iris.event(
      'permission:resolved',
      (event) => event.permission.turnId === question.turnId,
    )
    expect(permission).toMatchObject({ state: 'ended', decidedBy: 'iris' })
    expect(permission.message).toBe('Team "backend" may not use Bash: its process has ended.')
    expect(await answerPermission(iris, question, 'allow')).toMatchObject({ status: 'ended' })
    expect(await answered).toMatchObject({ status: 'completed', response: 'went on' })
    expect(made('killed.txt')).toBe(false)
  })

  test('allowed once, it is asked about again', async () => {
    for (const round of [1, 2]) {
      const answered = say(`echo again | tee again.txt # ${round}`)
      await answerPermission(iris, await asked(`# ${round}`), 'allow')
      expect(await answered).toMatchObject({ status: 'completed', response: 'again' })
    }
  })

  test('of two answers at once the first counts, and the second is told by whom and how', async () => {
    const answered = say('touch race.txt')
    const question = await asked('race.txt')
    const [first, second] = await Promise.all([
      answerPermission(iris, question, 'deny'),
      answerPermission(iris, question, 'allow'),
    ])
    expect(first).toMatchObject({ status: 'answered', permission: { state: 'denied' } })
    expect(second).toMatchObject({ status: 'already_answered', permission: { state: 'denied', decidedBy: 'owner' } })
    expect(await answered).toMatchObject({ response: expect.stringMatching(/^refused: .*says no\.$/) })
    expect(made('race.txt')).toBe(false)
  })

  test('an answer that names another input than the one asked about is refused, and the question stays', async () => {
    const answered = say('touch hashed.txt')
    const question = await asked('hashed.txt')
    const wrong = answerPermission(iris, question, 'allow', { inputHash: 'f'.repeat(64) })
    await expect(wrong).rejects.toMatchObject({ code: 'invalid_input' })
    expect(await answerPermission(iris, question, 'deny', { inputHash: question.inputHash })).toMatchObject({
      status: 'answered',
    })
    await answered
  })

  test('who waits for the answer is told that a person is asked', async () => {
    const heard: string[] = []
    const answered = ask(iris, 'backend', 'touch told.txt', { fromTeam }, { onProgress: (text) => heard.push(text) })
    const question = await asked('told.txt')
    const waits = { status: 'async', waitsForPermission: 'Bash (backend)' }
    expect(await callTool(iris, 'message_status', { turnId: question.turnId })).toMatchObject(waits)
    const { teams } = await callTool(iris, 'team_status', { team: 'backend' })
    expect(teams).toMatchObject([{ sessions: [{ waitsForPermission: 'Bash' }] }])
    const listed = await callTool(iris, 'list_sessions', { to: 'backend' })
    expect(listed['sessions']).toContainEqual(expect.objectContaining({ waitsForPermission: 'Bash' }))
    await eventually(() => heard.some((text) => text.startsWith('Waiting for permission: Bash (backend).')), 'progress')
    await answerPermission(iris, question, 'deny')
    expect(await answered).not.toHaveProperty('waitsForPermission')
  })

  test('neither an agent nor a program can answer, or see what is asked', async () => {
    const answered = say('touch stranger.txt')
    const question = await asked('stranger.txt')
    const { permissionId } = question
    const refused = { code: 'not_allowed' }
    expect(await refusal(iris, 'answer_permission', { permissionId, decision: 'allow' })).toMatchObject(refused)
    expect(await refusal(iris, 'list_permissions', {})).toMatchObject(refused)
    expect(await stateOf(permissionId)).toMatchObject({ state: 'pending' })
    await answerPermission(iris, question, 'deny')
    await answered
  })

  test('a message that is cancelled takes its question along, and an answer to that has no effect', async () => {
    const answered = say('touch cancelled.txt')
    const question = await asked('cancelled.txt')
    await callTool(iris, 'session_cancel', { turnId: question.turnId })
    expect(await answered).toMatchObject({ status: 'cancelled' })
    expect(await answerPermission(iris, question, 'allow')).toMatchObject({
      status: 'ended',
      permission: { state: 'ended', message: expect.stringContaining('the message that it belongs to was cancelled') },
    })
    expect(await say('afterwards')).toMatchObject({ status: 'completed', response: 'heard afterwards' })
    expect(made('cancelled.txt')).toBe(false)
  })

  test('a person may take longer than any silence; unanswered until the deadline, it is a denial', async () => {
    const answered = say('touch late.txt')
    const question = await asked('late.txt')
    await clock.jump(question.deadline - clock.now() - 1)
    expect(await stateOf(question.permissionId)).toMatchObject({ state: 'pending' })
    await clock.jump(1)
    const response = 'refused: Team "backend" may not use Bash: nobody answered within 1800 s.'
    expect(await answered).toMatchObject({ status: 'completed', response })
    const { permission } = await iris.event('permission:timeout')
    expect(permission).toMatchObject({ permissionId: question.permissionId, state: 'timed_out', decidedBy: 'iris' })
    expect(await answerPermission(iris, question, 'allow')).toMatchObject({ status: 'ended' })
    expect(made('late.txt')).toBe(false)
    const audited = iris.rows(`SELECT actor, action FROM audit WHERE subject = '${question.permissionId}'`)
    expect(audited).toEqual([
      { actor: 'iris', action: 'permission.timed_out' },
      { actor: 'owner', action: 'permission.answered' },
    ])
  })

  test('a team that is closed meanwhile gets its denial at once', async () => {
    const answered = say('touch closed.txt')
    const question = await asked('closed.txt')
    iris.world.writeConfig({ teams: { frontend: {}, backend: { grantPermission: 'no' } } })
    const response = expect.stringContaining('its owner does not allow tools that need a permission')
    expect(await answered).toMatchObject({ status: 'completed', response })
    expect(await answerPermission(iris, question, 'allow')).toMatchObject({ status: 'already_answered' })
    expect(made('closed.txt')).toBe(false)
  })
})

test('an answer to a question that never was is refused', async () => {
  await using iris = await TestIris.start({ claude: 'either' })
  const answer = answerPermission(iris, { permissionId: 'nobody-asked' }, 'allow')
  await expect(answer).rejects.toMatchObject({ code: 'unknown_permission' })
})

describe('what leads to a question', () => {
  /** `> team message` asks that team; anything else with a blank is a command. */
  const relays: Script = (request) => {
    const { lastUserText, step, toolResults } = request.conversation
    const [sign, toTeam, ...rest] = spoken(lastUserText).split(' ')
    if (sign !== '>') return runs(request)
    const input = { toTeam, message: rest.join(' '), timeout: 0 }
    if (step === 0) return { toolUses: [{ name: 'mcp__iris__send_message', input }] }
    const { status, response } = JSON.parse(toolResults.at(-1)!.text)
    return { text: `${status}: ${response}` }
  }

  test.each(claudeVersions)(
    'alpha asks beta, beta asks gamma: gamma asks a person, who sees all three (%s)',
    async (version) => {
      const teams = ['alpha', 'beta', 'gamma']
      await using iris = await TestIris.start({
        script: relays,
        teams,
        settings: { claudePath: claudeBinary(version) },
      })
      const heard: string[] = []
      const onProgress = (text: string) => heard.push(text)
      const answered = ask(iris, 'alpha', '> beta > gamma touch end.txt && echo ended', {}, { onProgress })
      const question = await questionOf(iris, 'gamma')
      expect(question.chain).toEqual(['external', 'alpha', 'beta', 'gamma'])
      expect(question.from).toBe('beta')
      await eventually(() => heard.some((text) => text.includes('Bash (gamma)')), 'the first asker hears of it')
      await answerPermission(iris, question, 'allow')
      expect(await answered).toMatchObject({ response: 'completed: completed: ended' })
      expect(existsSync(join(iris.world.directory('gamma'), 'end.txt'))).toBe(true)
    },
  )

  test('the chain is whole where the first askers do not wait and have long ended', {
    tags: ['thorough'],
  }, async () => {
    const script: Script = (request) => {
      const { lastUserText, step } = request.conversation
      const [sign, toTeam, ...rest] = spoken(lastUserText).split(' ')
      if (sign !== '>') return runs(request)
      const input = { toTeam, message: rest.join(' ') }
      return step === 0 ? { toolUses: [{ name: 'mcp__iris__quick_message', input }] } : { text: 'handed on' }
    }
    await using iris = await TestIris.start({ claude: 'either', script, teams: ['alpha', 'beta', 'gamma'] })
    await ask(iris, 'alpha', '> beta > gamma touch end.txt')
    const question = await questionOf(iris, 'gamma')
    expect(question.chain).toEqual(['external', 'alpha', 'beta', 'gamma'])
    await answerPermission(iris, question, 'deny')
    await iris.event('turn-settled', ({ to }) => to === 'gamma')
  })

  test('a process that waits for a person is not ended for room', { tags: ['thorough'] }, async () => {
    const settings = { maxProcesses: 1, queueTimeout: 500 }
    await using iris = await TestIris.start({ claude: 'either', script: runs, teams: ['backend', 'mobile'], settings })
    const answered = ask(iris, 'backend', 'touch kept.txt && echo kept')
    const question = await questionOf(iris, 'backend')
    expect(await ask(iris, 'mobile', 'hello')).toMatchObject({ status: 'failed', reason: 'queue_timeout' })
    await answerPermission(iris, question, 'allow')
    expect(await answered).toMatchObject({ status: 'completed', response: 'kept' })
  })

  test.each([
    ['yes', { grantPermission: 'yes', dangerous: true }, true],
    ['no', { grantPermission: 'no' }, false],
  ])('nobody is asked where the team says %s', async (_, backend, isMade) => {
    await using iris = await TestIris.start({ claude: 'either', script: runs, teams: { backend } })
    await ask(iris, 'backend', 'touch made.txt')
    expect(existsSync(join(iris.world.directory('backend'), 'made.txt'))).toBe(isMade)
    expect(iris.rows('SELECT id FROM permissions')).toEqual([])
  })
})
