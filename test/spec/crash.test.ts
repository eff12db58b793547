import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { Script } from '../../src/demo/script.ts'
import { sha256 } from '../../src/lib/sha256.ts'
import { markedProcesses } from '../../src/transport/descendants.ts'
import { ask, callTool } from '../support/call-tool.ts'
import { DaemonProcess } from '../support/daemon-process.ts'
import { createWorld, spoken, type World } from '../support/world.ts'

const yes = { grantPermission: 'yes', dangerous: true }

/** Writes one line into effects.txt of its project, then answers. Asked to go on, it looks before it acts. */
const writesOnce: Script = ({ conversation: { lastUserText, step, toolResults } }) => {
  if (lastUserText.includes('<iris-continuation>')) {
    const look = { name: 'Bash', input: { command: 'cat effects.txt || true', description: 'look' } }
    if (step === 0) return { toolUses: [look] }
    if (step === 1 && !toolResults[0]!.text.includes('done')) return { toolUses: [writeLine] }
    return { text: 'wrote it, after an interruption' }
  }
  if (step === 0) return { toolUses: [writeLine] }
  return { text: `wrote it: ${spoken(lastUserText)}` }
}
const writeLine = { name: 'Bash', input: { command: 'echo done >> effects.txt', description: 'write' } }

function effects(world: World, team = 'backend'): string {
  return readFileSync(join(world.directory(team), 'effects.txt'), 'utf8')
}

function settledAnswer(daemon: DaemonProcess, turnId: string) {
  return callTool(daemon, 'message_status', { turnId, timeout: 30_000 })
}

describe('kill -9 of the daemon', () => {
  test.each(['accepted', 'written', 'result-read', 'settled'])(
    'at "%s": one effect, and the answer is there afterwards',
    async (checkpoint) => {
      await using world = await createWorld({ script: writesOnce, teams: { frontend: {}, backend: yes } })
      await using first = await DaemonProcess.start(world, checkpoint)
      const idempotencyKey = `ask-${checkpoint}`
      await expect(ask(first, 'backend', 'write', { fromTeam: 'frontend', idempotencyKey })).rejects.toThrow()
      expect(await first.exited).toBe('SIGKILL')

      await using second = await DaemonProcess.start(world)
      const answer = await ask(second, 'backend', 'write', { fromTeam: 'frontend', idempotencyKey })
      expect(answer).toMatchObject({ status: 'completed', response: expect.stringContaining('wrote it') })
      expect(effects(world)).toBe('done\n')
      expect(await settledAnswer(second, answer.turnId)).toMatchObject({
        status: 'completed',
        response: answer.response,
      })
      await second[Symbol.asyncDispose]()
      expect(await markedProcesses(markerOf(world))).toEqual([])
    },
  )
})

function markerOf(world: World): string {
  return sha256(world.home).slice(0, 16)
}
