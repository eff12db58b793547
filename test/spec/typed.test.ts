import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { ModelReply, Script } from '../../src/app/demo/script.ts'
import { ask, callTool, refusal } from '../support/call-tool.ts'
import { eventually } from '../support/eventually.ts'
import { TestIris } from '../support/iris.ts'
import { claudeBinary, claudeVersions, contractVersions } from '../support/real-claude.ts'
import { runCommand } from '../support/run-command.ts'
import { spoken } from '../support/world.ts'

const port = { type: 'object', properties: { port: { type: 'integer' } }, required: ['port'] }

const gives = (value: unknown): ModelReply => ({ toolUses: [{ name: 'mcp__iris__return_value', input: { value } }] })

/** Says that it runs, and never ends. */
const held = 'touch "$HOME/held"; while true; do sleep 0.1; done'

const heldOnce = { path: '' }

/**
 * The message is a list of what the model does, one after the other: JSON is given as a value, the word "text" ends its turn
 * in prose, "nothing" calls the tool without a value.
 */
const obeys: Script = ({ conversation: { userTexts, lastUserText, toolResults, step } }) => {
  const told = userTexts.findLast((text) => text.includes('<iris-message'))!
  const message = spoken(told.slice(told.indexOf('<iris-message')).split('\n<iris-schema>')[0]!)
  const acts = (message.startsWith('{"question"') ? JSON.parse(message).question : message).split(' | ')
  if (lastUserText.includes('was accepted: do not return it')) return { text: 'as I said' }
  // The number of requests to continue says where.
  const reminders = userTexts.filter((text) => text.startsWith('<iris-continuation>')).length
  const act = acts[step + reminders]
  if (act === undefined || act === 'text') return { text: `It is 1615. ${toolResults.at(-1)?.text ?? ''}` }
  if (act === 'hold') return { toolUses: [{ name: 'Bash', input: { command: held } }] }
  if (act === 'hold once' && existsSync(heldOnce.path)) return gives({ port: 'again' })
  if (act === 'hold once')
    return { toolUses: [{ name: 'Bash', input: { command: held.replace('held', 'held-once') } }] }
  if (act === 'nothing') return { toolUses: [{ name: 'mcp__iris__return_value', input: {} }] }
  return gives(JSON.parse(act))
}

/** The dashboard's view of a conversation. */
async function sessionTurns({ port, token }: TestIris, sessionId: string): Promise<{ turns: object[] }> {
  const headers = { authorization: `Bearer ${token}` }
  const response = await fetch(`http://127.0.0.1:${port}/api/sessions/${sessionId}/turns`, { headers })
  return (await response.json()) as { turns: object[] }
}

/** One Iris for all tests of a `describe`. */
let iris: TestIris
function withOneIris(claude: 'real' | 'fake', settings: Record<string, unknown> = {}): void {
  beforeAll(async () => {
    iris = await TestIris.start({
      claude,
      script: obeys,
      settings,
      teams: {
        backend: { grantPermission: 'yes', dangerous: true },
        strict: { accepts: { type: 'object', required: ['question'] }, returns: port },
        broken: { returns: { type: 'integr' } },
      },
    })
  })
  afterAll(() => iris[Symbol.asyncDispose]())
}

const typed = (message: string, more: object = {}) =>
  ask(iris, 'backend', message, { responseSchema: port, thread: `t${Math.random().toString(36).slice(2)}`, ...more })

describe.each(contractVersions)('an ask with a schema, with Claude Code %s', (version) => {
  withOneIris('real', { claudePath: claudeBinary(version) })

  test('is answered by a value, which is in the answer, the ledger and every later look at it', async () => {
    const { turnId, sessionId, ...answer } = await typed('{"port":1615}')
    const { turns } = await sessionTurns(iris, sessionId)
    expect(turns).toMatchObject([{ turnId, value: '{"port":1615}' }])
    expect(answer).toMatchObject({ status: 'completed', value: { port: 1615 } })
    expect(iris.rows(`SELECT value, response_schema FROM turns WHERE id = '${turnId}'`)).toEqual([
      { value: '{"port":1615}', response_schema: JSON.stringify(port) },
    ])
    expect(await callTool(iris, 'message_status', { turnId })).toMatchObject({ value: { port: 1615 } })
    await iris.restart()
    expect(await callTool(iris, 'message_status', { turnId })).toMatchObject({ value: { port: 1615 } })
  })

  // From here on the versions do not differ.
  if (!claudeVersions.includes(version)) return

  test('has its value once, when the daemon goes away after it was given', async () => {
    const sent = { toTeam: 'backend', message: '{"port":11} | hold', responseSchema: port, thread: 'cut' }
    const { turnId } = await callTool(iris, 'quick_message', sent)
    await eventually(() => existsSync(join(iris.world.root, 'held')), 'the tool that holds')
    await iris.restart()
    expect(await callTool(iris, 'message_status', { turnId, timeout: 0 })).toMatchObject({
      status: 'completed',
      value: { port: 11 },
      response: 'as I said',
    })
  })
})

describe('an ask with a schema', () => {
  withOneIris('fake')

  test('gives what is wrong back to the model, twice', async () => {
    const { model } = iris.world
    expect(await typed('{"port":"x"} | {} | {"port":2}')).toMatchObject({ status: 'completed', value: { port: 2 } })
    const results = JSON.stringify(model.requests.recent.at(-1)!.body)
    expect(results).toContain('/port: must be integer')
    expect(results).toContain("must have required property 'port'")
    const failed = await typed('{"port":"x"} | {} | [] | {"port":4}')
    expect(failed).toMatchObject({ status: 'failed', reason: 'schema_unmet' })
    expect(failed).not.toHaveProperty('value')
    expect(failed.partialResponse).toContain('It is 1615.')
    expect(failed.detail).toContain('Try 1: /port: must be integer Try 2: /: must have required')
    expect(failed.detail).toMatch(/use a wider schema\.$/)
  })

  test('return_value is refused where nothing asks for a value', async () => {
    const { response } = await ask(iris, 'backend', '{"port":1} | text')
    expect(response).toContain('does not ask for a value')
    expect(await refusal(iris, 'return_value', { value: 1 })).toMatchObject({ code: 'invalid_input' })
  })

  test('reminds a model that ended in prose, or that called the tool with nothing', {
    tags: ['thorough'],
  }, async () => {
    expect(await typed('text | {"port":3}')).toMatchObject({ status: 'completed', value: { port: 3 } })
    expect(await typed('nothing | {"port":3}')).toMatchObject({ status: 'completed', value: { port: 3 } })
    const failed = await typed('text | text | text | {"port":5}')
    expect(failed).toMatchObject({ status: 'failed', reason: 'schema_unmet' })
    expect(failed.detail).toContain('Try 3: The turn ended without a call to return_value.')
    expect(iris.rows(`SELECT count(*) AS n FROM deliveries WHERE turn = '${failed.turnId}'`)).toEqual([{ n: 3 }])
  })

  test('takes the first value that is valid, however often one is given', { tags: ['thorough'] }, async () => {
    expect(await typed('{"port":1} | {"port":1} | {"port":9} | text')).toMatchObject({ value: { port: 1 } })
  })

  test('takes a value that came as the text of it', { tags: ['thorough'] }, async () => {
    expect(await typed(JSON.stringify('{"port":7}'))).toMatchObject({ value: { port: 7 } })
  })

  test('keeps null apart from no value', { tags: ['thorough'] }, async () => {
    const answer = await typed('null', { responseSchema: { type: 'null' } })
    expect(answer.status).toBe('completed')
    expect(answer).toHaveProperty('value', null)
  })

  test('has no more tries after a restart of the daemon than before', { tags: ['thorough'] }, async () => {
    heldOnce.path = join(iris.world.root, 'held-once')
    const message = '{"port":"x"} | hold once | {"port":"z"} | {"port":5}'
    const sent = { toTeam: 'backend', message, responseSchema: port, thread: 'tries' }
    const { turnId } = await callTool(iris, 'quick_message', sent)
    await eventually(() => existsSync(heldOnce.path), 'the tool that holds')
    await iris.restart()
    expect(await callTool(iris, 'message_status', { turnId, timeout: 0 })).toMatchObject({
      status: 'failed',
      reason: 'schema_unmet',
      detail: expect.stringMatching(/Try 1: .* Try 2: .* Try 3: /),
    })
  })

  test('is refused with a bad schema, before anything is kept', async () => {
    const before = iris.rows('SELECT count(*) AS n FROM turns')
    const bad = (responseSchema: object) =>
      refusal(iris, 'send_message', { toTeam: 'backend', message: 'x', responseSchema })
    expect(await bad({ type: 'integr' })).toMatchObject({ code: 'schema_invalid' })
    expect(await bad({ $ref: 'https://example.com/a.json' })).toMatchObject({ code: 'schema_invalid' })
    expect(await bad({ description: 'x'.repeat(1 << 20) })).toMatchObject({ code: 'schema_invalid' })
    expect(iris.rows('SELECT count(*) AS n FROM turns')).toEqual(before)
  })

  test('is the same message under the same key only with the same schema', { tags: ['thorough'] }, async () => {
    const sent = { toTeam: 'backend', message: '{"port":8}', timeout: 0, idempotencyKey: 'k1', responseSchema: port }
    const first = await callTool(iris, 'send_message', sent)
    const reordered = { required: ['port'], properties: { port: { type: 'integer' } }, type: 'object' }
    expect(await callTool(iris, 'send_message', { ...sent, responseSchema: reordered })).toMatchObject({
      turnId: first['turnId'],
      value: { port: 8 },
    })
    expect(await refusal(iris, 'send_message', { ...sent, responseSchema: {} })).toMatchObject({
      code: 'key_in_use',
    })
  })

  test('is what iris tell --schema prints, and nothing else', { tags: ['thorough'] }, async () => {
    const file = join(iris.world.root, 'port.json')
    const tell = async (schema: string) => {
      writeFileSync(file, schema)
      return runCommand(iris.world, ['tell', 'backend', '{"port":12}', '--schema', file])
    }
    expect(await tell(JSON.stringify(port))).toMatchObject({ code: 0, stdout: '{\n  "port": 12\n}\n' })
    expect(await tell('no JSON')).toMatchObject({ code: 2, stderr: expect.stringContaining('is not a JSON object') })
  })

  test('holds to what its team publishes, and list_teams shows that', async () => {
    const { teams } = (await callTool(iris, 'list_teams')) as { teams: { name: string; config: object }[] }
    expect(teams.find(({ name }) => name === 'strict')?.config).toMatchObject({
      accepts: { required: ['question'] },
      returns: port,
    })
    const refused = await refusal(iris, 'send_message', { toTeam: 'strict', message: '{"frage":1}' })
    expect(refused.code).toBe('contract_broken')
    expect(refused.message).toContain("/: must have required property 'question'")
    expect(await refusal(iris, 'send_message', { toTeam: 'strict', message: 'hello' })).toMatchObject({
      code: 'contract_broken',
    })
    const question = JSON.stringify({ question: '{"port":"x"} | {"port":6}' })
    expect(await ask(iris, 'strict', question)).toMatchObject({ status: 'completed', value: { port: 6 } })
    expect(await refusal(iris, 'send_message', { toTeam: 'broken', message: 'x' })).toMatchObject({
      code: 'schema_invalid',
      message: expect.stringContaining('returns of team "broken"'),
    })
  })
})
