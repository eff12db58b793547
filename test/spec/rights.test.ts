import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { toolsFor } from '../../src/adapters/mcp/tools.ts'
import type { Operation } from '../../src/base/operation/operation.ts'
import { contracts, type OperationName, operationNames } from '../../src/features/contracts.ts'
import { askers } from '../../src/kernel/call/policy.ts'
import { agentOf } from '../../src/kernel/call/principal.ts'
import { ask } from '../support/call-tool.ts'
import { withRights } from '../support/rights-table.ts'
import { Stage } from '../support/stage.ts'

const page = fileURLToPath(new URL('../../docs/guide/rights.md', import.meta.url))

/** What the page says of an operation: a cell for each kind of asker. */
function documented(): Record<string, string[]> {
  const rows = readFileSync(page, 'utf8').matchAll(/^\| `(\w+)` +\| (.+) \|$/gm)
  return Object.fromEntries([...rows].map(([, name, cells]) => [name, cells!.split('|').map((cell) => cell.trim())]))
}

test('docs/guide/rights.md has a row for each operation, with who may call it, as the code has it', async () => {
  // `npm run generate` writes the table again.
  await expect(withRights(readFileSync(page, 'utf8'))).toMatchFileSnapshot(page)
  expect(Object.keys(documented())).toEqual(operationNames)
})

test('everybody is shown the tools that are theirs, and no other', () => {
  const table = documented()
  askers.forEach((who, column) => {
    const isForPeopleAndModels = (name: OperationName): boolean => {
      const { forClaudeCode = false, isTool = true, onlyAgents = false, inChats = false }: Operation = contracts[name]
      return who !== 'viewer' && isTool && !forClaudeCode && !inChats && (!onlyAgents || who === 'agent')
    }
    const theirs = operationNames.filter((name) => table[name]![column] !== '–').filter(isForPeopleAndModels)
    expect(toolsFor(who).map(({ name }) => name)).toEqual(theirs)
  })
})

describe('an agent', () => {
  let stage: Stage
  let turnId: string
  beforeAll(async () => {
    stage = await Stage.start({ teams: ['frontend', 'backend', 'mobile'] })
    turnId = (await ask(stage.iris, 'backend', 'of nobody else')).turnId
    await ask(stage.iris, 'backend', 'its own', { fromTeam: 'frontend' })
  })
  afterAll(() => stage[Symbol.asyncDispose]())

  const told = (name: OperationName, input: object) => {
    const auth = { principal: agentOf('frontend'), team: 'frontend', parent: undefined } as const
    const call = { auth, signal: new AbortController().signal, progress: () => {}, idempotencyKey: undefined }
    return stage.iris.daemon.operations.call(name, input, call)
  }
  const notIts = { toTeam: 'backend', fromTeam: 'mobile' }
  const ofOthers: Partial<Record<OperationName, readonly [input: object, code: string]>> = {
    team_status: [{ fromTeam: 'mobile' }, 'from_mismatch'],
    send_message: [{ ...notIts, message: 'x' }, 'from_mismatch'],
    ask_message: [{ ...notIts, message: 'x' }, 'from_mismatch'],
    quick_message: [{ ...notIts, message: 'x' }, 'from_mismatch'],
    notify: [{ ...notIts, message: 'x' }, 'from_mismatch'],
    invoke_agent: [{ team: 'backend', fromTeam: 'mobile', agentName: 'x', prompt: 'x' }, 'from_mismatch'],
    session_report: [{ team: 'backend', fromTeam: 'external' }, 'from_mismatch'],
    session_cancel: [{ team: 'backend', turnId: '' }, 'unknown_turn'],
    return_value: [{ value: 1 }, 'invalid_input'],
    chat_reply: [{ text: 'x' }, 'invalid_input'],
    chat_react: [{ reaction: '👍' }, 'invalid_input'],
    chat_history: [{}, 'invalid_input'],
    chat_send_file: [{ path: 'x' }, 'invalid_input'],
    message_status: [{ turnId: '' }, 'unknown_turn'],
    get_agent: [{ agentType: 'debugger', team: 'backend' }, 'not_allowed'],
  }

  test.each(Object.entries(ofOthers))('is refused what belongs to others: %s', async (name, [input, code]) => {
    const given = 'turnId' in input ? { ...input, turnId } : input
    await expect(told(name as OperationName, given)).rejects.toMatchObject({ code, remedy: expect.any(String) })
  })

  test('is told of its own conversations only', async () => {
    const mine = { from: 'frontend', to: 'backend' }
    expect(await told('list_sessions', {})).toMatchObject({ sessions: [mine] })
    expect(await told('list_sessions', { from: 'external' })).toMatchObject({ sessions: [] })
    expect(await told('session_stats', {})).toMatchObject({ sessions: { total: 1 }, turns: { total: 1 } })
    expect(await told('session_stats', { team: 'mobile' })).toMatchObject({ sessions: { total: 0 } })
    const { teams } = (await told('team_status', {})) as { teams: { name: string; sessions: object[] }[] }
    expect(teams.flatMap(({ sessions }) => sessions)).toMatchObject([{ from: 'frontend' }])
  })

  test('is tried with everything that the page calls its own', () => {
    const own = Object.entries(documented()).flatMap(([name, [agent]]) => (agent === 'own' ? [name] : []))
    const tried = new Set([...Object.keys(ofOthers), 'list_sessions', 'session_stats'])
    expect(own.filter((name) => !tried.has(name))).toEqual([])
  })

  const closed = operationNames.filter((name) => (contracts[name] as Operation).access !== 'agent')
  test.each(closed)('may not call %s', async (name) => {
    await expect(told(name, {})).rejects.toMatchObject({ code: 'not_allowed' })
  })
})
