import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { stepwise, type ToolUse } from '../../src/app/demo/script.ts'
import { initialize, pipeHost } from '../../src/app/probe/pipe-host.ts'
import { pinWorld } from '../support/pin-world.ts'
import { claudeVersions } from '../support/real-claude.ts'

/** Why Iris does not use it for teams with `no`, see decision 0026. */
test.each(claudeVersions)(
  'Claude Code %s with allowManagedPermissionRulesOnly drops every other rule: what a person allows, what he denies, what is handed over the pipe',
  async (version) => {
    let use: ToolUse = { name: 'Bash', input: {} }
    await using world = await pinWorld(version, (request) => stepwise({ toolUses: [use] }, { text: 'done' })(request))
    const own = { permissions: { allow: ['Bash'], deny: ['Bash(mv *)'] } }
    mkdirSync(join(world.home, '.claude'), { recursive: true })
    writeFileSync(join(world.home, '.claude/settings.json'), JSON.stringify(own))
    writeFileSync(join(world.project, 'a'), 'x')
    mkdirSync(join(world.home, 'outside'))
    const managed = { allowManagedPermissionRulesOnly: true, permissions: { allow: ['Bash(cp *)', 'Bash(mv *)'] } }
    const host = pipeHost()
    host.permission = () => ({ behavior: 'deny', message: 'no' })
    const cli = world.start({ answer: host.answer, args: ['--managed-settings', JSON.stringify(managed)] })
    await cli.request(initialize)
    await cli.request({ subtype: 'apply_flag_settings', settings: { permissions: { allow: ['Bash(touch *)'] } } })
    const asked: Record<string, boolean> = {}
    for (const command of ['cp a b', `cp a ${world.home}/outside/c`, 'touch x', 'mv a d']) {
      use = { name: 'Bash', input: { command } }
      const since = host.asked.length
      await cli.turn('go')
      const isAsked = host.asked.slice(since).some(({ subtype }) => String(subtype) === 'can_use_tool')
      asked[command.replace(world.home, '~')] = isAsked
    }
    expect(asked).toEqual({ 'cp a b': false, 'cp a ~/outside/c': true, 'touch x': true, 'mv a d': false })
    expect(existsSync(join(world.project, 'd'))).toBe(true)
  },
)
