import { readFileSync, writeFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Cli } from '../../src/app/probe/cli.ts'
import { ownFile } from '../../src/base/lib/byte-source.ts'
import { spentOnDisk } from '../../src/claude/driver/transcript-cost.ts'
import { eventually } from '../support/eventually.ts'
import { type PinWorld, pinWorld } from '../support/pin-world.ts'
import { claudeVersions } from '../support/real-claude.ts'

/** Whether this build's count continues where the conversation's last clean end left it. */
const countsOn = { '2.1.330': true, '2.1.197': false }

const ways = [
  ['its stdin is closed', (cli: Cli) => cli.end(), true],
  ['SIGTERM', (cli: Cli) => cli.kill('SIGTERM'), true],
  ['SIGKILL', (cli: Cli) => cli.kill('SIGKILL'), false],
] as const

describe.each(claudeVersions)('the cost that Claude Code %s counts', (version) => {
  let world: PinWorld
  beforeAll(async () => {
    world = await pinWorld(version, () => ({ text: 'ok', inputTokens: 1000 }))
  })
  afterAll(() => world[Symbol.asyncDispose]())

  const costAfter = async (cli: Cli) => Number((await cli.turn('x')).at(-1)?.total_cost_usd)

  test.each(ways)(
    'adds up over a process, and after a resume begins at what the transcript says: %s',
    async (_, leave, isClean) => {
      const id = crypto.randomUUID()
      const first = world.start({ args: ['--session-id', id] })
      const one = await costAfter(first)
      expect(one).toBeGreaterThan(0)
      expect(await costAfter(first)).toBeCloseTo(2 * one, 9)
      await eventually(() => world.transcript(id).length >= 4, 'both answers are on disk')
      await leave(first)
      const spent = await spentOnDisk(await ownFile(world.transcriptFile(id)!), id)
      const onDisk = spent?.costUsd ?? 0
      expect(onDisk).toBeCloseTo(countsOn[version] && isClean ? 2 * one : 0, 9)
      const second = world.start({ args: ['--resume', id] })
      expect(await costAfter(second)).toBeCloseTo(onDisk + one, 9)
      await second.end()
    },
  )

  test('starts over in a copy without what the first one cost, as a fork of Iris is', async () => {
    const [id, fork] = [crypto.randomUUID(), crypto.randomUUID()]
    const first = world.start({ args: ['--session-id', id] })
    const one = await costAfter(first)
    await first.end()
    const path = world.transcriptFile(id)!
    const lines = readFileSync(path, 'utf8').replaceAll(id, fork).split('\n')
    writeFileSync(path.replace(id, fork), lines.filter((line) => !line.includes('"cost-state"')).join('\n'))
    const second = world.start({ args: ['--resume', fork] })
    expect(await costAfter(second)).toBeCloseTo(one, 9)
    await second.end()
  })
})
