import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { Cli, Line } from '../../src/app/probe/cli.ts'
import { initialize, pipeHost } from '../../src/app/probe/pipe-host.ts'
import { pinWorld } from '../support/pin-world.ts'
import { claudeVersions } from '../support/real-claude.ts'

/** What the lines say, in words. */
function words(lines: readonly Line[]): string[] {
  return lines.flatMap((line) => {
    if (line['isReplay']) return ['echo']
    if (String(line.type) === 'result') return ['result']
    if (String(line.type) === 'assistant') return ['says']
    if (String(line.subtype) === 'init') return ['init']
    return String(line.type) === 'user' ? ['tool result'] : []
  })
}

describe.each(claudeVersions)('a tool that a hook of the project defers, with Claude Code %s', (version) => {
  test('the turn ends before it; a resume runs it first, in a turn without an echo', async () => {
    await using world = await pinWorld(version, ({ conversation: { lastUserText, step } }) =>
      lastUserText === 'deploy' && step === 0
        ? { toolUses: [{ name: 'Bash', input: { command: 'touch deployed' } }] }
        : { text: `said to ${lastUserText}` },
    )
    const sessionId = crypto.randomUUID()
    const started = async (...args: string[]): Promise<Cli> => {
      const cli = world.start({ answer: pipeHost().answer, args })
      await cli.request(initialize)
      return cli
    }
    const settings = join(world.project, '.claude')
    const hookSpecificOutput = { hookEventName: 'PreToolUse', permissionDecision: 'defer' }
    const command = `printf '%s' '${JSON.stringify({ hookSpecificOutput })}'`
    mkdirSync(settings, { recursive: true })
    const hooks = { PreToolUse: [{ matcher: '*', hooks: [{ type: 'command', command }] }] }
    writeFileSync(join(settings, 'settings.json'), JSON.stringify({ hooks }))

    const first = await started('--session-id', sessionId)
    const deferred = (await first.turn('deploy')).at(-1)
    expect(deferred).toMatchObject({ is_error: false, result: '', terminal_reason: 'tool_deferred' })
    expect(deferred).toMatchObject({ deferred_tool_use: { name: 'Bash', input: { command: 'touch deployed' } } })
    await first.end()
    rmSync(settings, { recursive: true })

    const next = await started('--resume', sessionId)
    const own = await next.line({ type: 'result' })
    expect(own).not.toHaveProperty('origin')
    expect(own).not.toHaveProperty('user_message_uuids')
    expect(words(next.lines)).toEqual(['tool result', 'init', 'says', 'result'])
    // The older version was seen not to echo this one.
    expect(words(await next.turn('hello')).filter((word) => word !== 'echo')).toEqual(['init', 'says', 'result'])
    expect(words(await next.turn('again'))).toEqual(['init', 'echo', 'says', 'result'])
    await next.end()
  })
})
