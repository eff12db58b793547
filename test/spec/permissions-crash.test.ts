import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { startDaemon } from '../../src/app/daemon/daemon.ts'
import type { Script } from '../../src/app/demo/script.ts'
import { ask, callTool } from '../support/call-tool.ts'
import { DaemonProcess } from '../support/daemon-process.ts'
import { nextDaemon } from '../support/next-daemon.ts'
import { claudeBinary, claudeVersions, contractVersions, eitherOf } from '../support/real-claude.ts'
import { createWorld, type World } from '../support/world.ts'

/** Makes a file, for which a person is asked; asked to continue, it tries again. */
const makes: Script = ({ conversation: { step, toolResults } }) =>
  step === 0
    ? { toolUses: [{ name: 'Bash', input: { command: 'touch made.txt && echo made' } }] }
    : { text: `${toolResults.at(-1)?.isError ? 'refused: ' : ''}${toolResults.at(-1)?.text}` }

interface Question {
  readonly permissionId: string
  readonly state: string
  readonly message: string | null
}

/** As the owner's terminal does it. */
function owner(world: World, { port }: { port: number }) {
  const endpoint = { port, token: world.owner() }
  const list = async (state: 'pending' | 'all') =>
    (await callTool(endpoint, 'list_permissions', { state }))['permissions'] as Question[]
  return {
    list,
    pending: async () => {
      for (const late = Date.now() + 60_000; Date.now() < late; ) {
        const [first] = await list('pending')
        if (first) return first
        await new Promise((resolve) => setTimeout(resolve, 50))
      }
      throw new Error('nobody asked')
    },
    answer: (permissionId: string, decision: string) =>
      callTool(endpoint, 'answer_permission', { permissionId, decision }) as Promise<{ status: string }>,
  }
}

describe.each(contractVersions)('a question that is open when Iris ends, with Claude Code %s', (version) => {
  const settings = { claudePath: claudeBinary(version) }
  const fromTeam = 'frontend'
  const made = (world: World) => existsSync(join(world.directory('backend'), 'made.txt'))

  test('kill -9: it has ended after the next start, an answer to it has no effect, the work goes on with a new one', async () => {
    await using world = await createWorld({ script: makes, settings, teams: ['frontend', 'backend'] })
    await using first = await DaemonProcess.start(world)
    const asked = ask(first, 'backend', 'go', { fromTeam, idempotencyKey: 'k' }).catch((error: unknown) => error)
    const old = await owner(world, first).pending()
    await first.kill()
    expect(await asked).toBeInstanceOf(Error)

    await using second = await nextDaemon(world)
    const person = owner(world, second)
    const answered = ask(second, 'backend', 'go', { fromTeam, idempotencyKey: 'k' })
    expect(await person.answer(old.permissionId, 'allow')).toMatchObject({ status: 'ended' })
    const again = await person.pending()
    expect(again.permissionId).not.toBe(old.permissionId)
    const all = await person.list('all')
    expect(all.find(({ permissionId }) => permissionId === old.permissionId)).toMatchObject({
      state: 'ended',
      decidedBy: 'iris',
      message: 'Team "backend" may not use Bash: Iris was stopped before anybody answered.',
    })
    expect(made(world)).toBe(false)
    await person.answer(again.permissionId, 'allow')
    expect(await answered).toMatchObject({ status: 'completed', response: 'made' })
    expect(made(world)).toBe(true)
  })

  // From here on the versions do not differ.
  if (!claudeVersions.includes(version)) return

  test('kill -9, where interrupted work is only reported: nothing runs, and the caller is told', {
    tags: ['thorough'],
  }, async () => {
    const teams = { frontend: {}, backend: { onInterrupted: 'report' } }
    await using world = await createWorld({ script: makes, ...eitherOf(version), teams })
    await using first = await DaemonProcess.start(world)
    void ask(first, 'backend', 'go', { fromTeam, idempotencyKey: 'k' }).catch(() => {})
    const old = await owner(world, first).pending()
    await first.kill()
    await using second = await nextDaemon(world)
    const end = await ask(second, 'backend', 'go', { fromTeam, idempotencyKey: 'k' })
    expect(end).toMatchObject({ status: 'in_doubt', detail: expect.stringContaining('Bash') })
    expect(await owner(world, second).answer(old.permissionId, 'allow')).toMatchObject({ status: 'ended' })
    expect(made(world)).toBe(false)
  })

  test('stopped in order, Iris denies it, and the next start takes the work up', { tags: ['thorough'] }, async () => {
    await using world = await createWorld({ script: makes, ...eitherOf(version), teams: ['frontend', 'backend'] })
    const first = await startDaemon({ home: world.home, env: world.env, daemonPid: 0 })
    const { turnId } = await ask({ port: first.port, token: world.token() }, 'backend', 'go', { fromTeam, timeout: -1 })
    const old = await owner(world, first).pending()
    await first.stop(0)
    const second = await startDaemon({ home: world.home, env: world.env, daemonPid: 0 })
    try {
      const person = owner(world, second)
      expect(await person.answer(old.permissionId, 'allow')).toMatchObject({ status: 'ended' })
      const again = await person.pending()
      await person.answer(again.permissionId, 'deny')
      const endpoint = { port: second.port, token: world.token() }
      expect(await callTool(endpoint, 'message_status', { turnId, timeout: 0 })).toMatchObject({
        status: 'completed',
        response: expect.stringContaining('says no'),
      })
      expect(made(world)).toBe(false)
    } finally {
      await second.stop(0)
    }
  })
})
