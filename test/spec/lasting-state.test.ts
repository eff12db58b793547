import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Script } from '../../src/app/demo/script.ts'
import { ask, callTool } from '../support/call-tool.ts'
import { TestIris } from '../support/iris.ts'
import { claudeBinary, claudeVersions, contractVersions } from '../support/real-claude.ts'
import { runCommand } from '../support/run-command.ts'
import { spoken } from '../support/world.ts'

const desktop = { model: undefined }
const yes = { grantPermission: 'yes', dangerous: true }

describe.each(contractVersions)('what one message leaves for the next in Claude Code %s', (version) => {
  let iris: TestIris

  /** The first word names the tool, the second its input. The answer is what the tool returned. */
  const script: Script = ({ body, conversation: { lastUserText, step, toolResults } }) => {
    const [verb, what = ''] = spoken(lastUserText).split(' ')
    const isRefused = verb === 'refuse' || lastUserText.includes('stopped by a safety classifier')
    if (isRefused && body.model === 'claude-opus-5-5') return { text: '', stopReason: 'refusal' }
    if (verb === 'other') return { text: body.model, model: 'claude-haiku-4-5-20251001' }
    const uses: Record<string, { name: string; input: unknown }> = {
      use: { name: what, input: {} },
      run: { name: 'Bash', input: { command: what.replaceAll('+', ' ') } },
      write: { name: 'Write', input: { file_path: join(iris.world.directory('backend'), what), content: 'x' } },
    }
    const use = step === 0 ? uses[verb ?? ''] : undefined
    return use ? { toolUses: [use] } : { text: toolResults.at(-1)?.text ?? body.model }
  }

  beforeAll(async () => {
    // The real API names a category with a refusal, which chooses the next model.
    const settings = { claudePath: claudeBinary(version), env: { CLAUDE_CODE_REFUSAL_FALLBACK_CATCH_ALL: '1' } }
    iris = await TestIris.start({
      claude: 'either',
      script,
      teams: { frontend: {}, backend: yes, mobile: { grantPermission: 'ask' }, desktop },
      settings,
    })
  })
  afterAll(() => iris[Symbol.asyncDispose]())

  const say = (message: string, to = 'backend') => ask(iris, to, message, { fromTeam: 'frontend' })

  test('the shell begins each message in the project', async () => {
    await say('run mkdir+-p+sub;cd+sub')
    expect(await say('run pwd')).toMatchObject({ response: iris.world.directory('backend') })
  })

  // From here on the versions do not differ.
  if (!claudeVersions.includes(version)) return

  test.each(['EnterPlanMode', 'ExitPlanMode', 'EnterWorktree', 'ExitWorktree', 'ReportFindings'])(
    '%s is closed',
    async (tool) => {
      expect(await say(`use ${tool}`)).toMatchObject({ response: expect.stringContaining(`No such tool available`) })
      const file = `after-${tool}`
      expect(await say(`write ${file}`)).toMatchObject({ status: 'completed' })
      expect(existsSync(join(iris.world.directory('backend'), file))).toBe(true)
    },
  )

  test('a permission mode that a hook of the project sets ends with the message', async () => {
    const mobile = iris.world.directory('mobile')
    const allowed = (more = {}) =>
      JSON.stringify({
        hookSpecificOutput: { hookEventName: 'PermissionRequest', decision: { behavior: 'allow', ...more } },
      })
    const updatedPermissions = [{ type: 'setMode', mode: 'acceptEdits', destination: 'session' }]
    const command = `if test -e changed; then printf '%s' '${allowed()}'; else touch changed; printf '%s' '${allowed({ updatedPermissions })}'; fi`
    mkdirSync(join(mobile, '.claude'))
    const hooks = { PermissionRequest: [{ matcher: '*', hooks: [{ type: 'command', command }] }] }
    writeFileSync(join(mobile, '.claude/settings.json'), JSON.stringify({ hooks }))
    const modes: unknown[] = []
    iris.events$.subscribe((event) => {
      if (event.type !== 'turn-message' || event.to !== 'mobile') return
      const line = event.message as Record<string, unknown>
      if (typeof line['permissionMode'] === 'string') modes.push(line['permissionMode'])
    })
    await say('run touch+first', 'mobile')
    expect(modes).toEqual(['default', 'acceptEdits'])
    await say('run touch+second', 'mobile')
    expect(modes.slice(2)).toContain('default')
    expect(modes.slice(2)).not.toContain('acceptEdits')
  })

  test('an answer says that another model gave it', async () => {
    const { response, ...said } = await say('other')
    const { turnId } = said
    const otherModel = { model: 'claude-haiku-4-5-20251001', configured: expect.stringContaining(String(response)) }
    expect(said).toMatchObject({ otherModel })
    expect(await callTool(iris, 'message_status', { turnId, fromTeam: 'frontend' })).toMatchObject({ otherModel })
    const { stderr } = await runCommand(iris.world, ['result', String(turnId)])
    expect(stderr).toContain('(Answered by claude-haiku-4-5-20251001 instead of claude-opus-')
    const { turns } = await callTool(iris, 'session_turns', { sessionId: said.sessionId })
    expect(turns).toContainEqual(expect.objectContaining({ turnId, otherModel }))
    expect(await say('hello')).not.toHaveProperty('otherModel')
  })

  // The older version ends a refused message, and keeps its model.

  test.runIf(version === '2.1.330')('the model that a refusal exchanges is back for the next message', async () => {
    const [first, second] = ['claude-opus-5-5', 'claude-opus-5']
    const refused = { response: second, otherModel: { model: second, configured: first, why: expect.any(String) } }
    expect(await say('hello', 'desktop')).toMatchObject({ response: first })
    expect(await say('refuse', 'desktop')).toMatchObject(refused)
    await callTool(iris, 'team_sleep', { team: 'desktop', fromTeam: 'frontend' })
    expect(await say('hello', 'desktop')).toMatchObject({ response: first })
    expect(await say('refuse', 'desktop')).toMatchObject(refused)
    const next = await say('hello', 'desktop')
    expect(next).toMatchObject({ response: first })
    expect(next).not.toHaveProperty('otherModel')
  })
})
