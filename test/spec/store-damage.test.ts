import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { StoreView } from '../../src/base/protocol/store.ts'
import { ask, callTool } from '../support/call-tool.ts'
import { DaemonProcess } from '../support/daemon-process.ts'
import { eventually } from '../support/eventually.ts'
import { claudeBinary, claudeVersions } from '../support/real-claude.ts'
import { isBrief } from '../support/tier.ts'
import { createWorld, spoken, type World } from '../support/world.ts'

const fromTeam = 'frontend'
const garbage = Buffer.from('no database at all, '.repeat(1000))

function storeOf(world: World): string {
  return join(world.home, 'data/team-sessions.db')
}

/** The store and what SQLite keeps beside it. */
function filesOf(world: World): readonly string[] {
  return [storeOf(world), `${storeOf(world)}-wal`].filter((file) => existsSync(file))
}

describe.each(claudeVersions)('Claude Code %s', (version) => {
  const remembering = () =>
    createWorld({
      script: ({ conversation }) => ({ text: conversation.userTexts.map(spoken).join(' | ') }),
      settings: { claudePath: claudeBinary(version) },
    })

  const ends = [
    ['killed', (daemon: DaemonProcess) => daemon.kill()],
    ['stopped', (daemon: DaemonProcess) => daemon[Symbol.asyncDispose]()],
  ] as const
  test.each(isBrief ? ends.slice(0, 1) : ends)(
    'goes on with the same conversation when Iris was %s and its store became garbage',
    async (_, end) => {
      await using world = await remembering()
      await using first = await DaemonProcess.start(world)
      const one = await ask(first, 'backend', 'one', { fromTeam })
      const other = await ask(first, 'backend', 'elsewhere', { fromTeam, thread: 'other', idempotencyKey: 'k' })
      await eventually(() => textOf(conversationOf(world, other.sessionId)).includes('"result"'), 'it is told')
      await end(first)
      for (const file of filesOf(world)) writeFileSync(file, garbage)

      await using second = await DaemonProcess.start(world)
      const two = await ask(second, 'backend', 'two', { fromTeam })
      expect(two).toMatchObject({ status: 'completed', response: 'one | two', sessionId: one.sessionId })
      expect(two).not.toHaveProperty('contextReset')
      const again = await ask(second, 'backend', 'elsewhere', { fromTeam, thread: 'other', idempotencyKey: 'k' })
      expect(again).toMatchObject({ turnId: other.turnId, response: 'elsewhere', sessionId: other.sessionId })
      expect(world.model.requests.turns).toBe(3)
      expect(await callTool(second, 'message_status', { turnId: one.turnId })).toMatchObject({ response: 'one' })
      const { store } = (await callTool(second, 'team_status')) as { store: StoreView }
      expect(store.rebuilt).toMatchObject({ sessions: 2, turns: 2, inDoubt: 0, unreadable: 0 })
      expect(second.log).toContain('has been rebuilt')
      expect(readFileSync(store.rebuilt!.setAside!)).toEqual(garbage)
      expect(existsSync(`${storeOf(world)}.damaged`)).toBe(false)
    },
    120_000,
  )
})

function textOf(path: string): string {
  return existsSync(path) ? readFileSync(path, 'utf8') : ''
}

function conversationOf(world: World, sessionId: string): string {
  return join(world.home, 'output_streams', sessionId, 'conversation.json')
}
