import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { Script } from '../../src/app/demo/script.ts'
import { ask, callTool } from '../support/call-tool.ts'
import { eventually } from '../support/eventually.ts'
import { TestIris } from '../support/iris.ts'
import { JumpingClock } from '../support/jumping-clock.ts'
import { claudeBinary, contractVersions } from '../support/real-claude.ts'
import { atRest } from '../support/rest.ts'

const hourMs = 3_600_000
const yes = { grantPermission: 'yes', dangerous: true }

describe.each(contractVersions)('Claude Code %s', (version) => {
  test('what a limit refuses twice, and what a crash cuts off, is in the conversation once', async () => {
    const clock = new JumpingClock({ goesOn: true })
    const account = { isOver: false }
    const script: Script = ({ conversation: { userTexts, lastUserText, step } }) => {
      const reset = String(Math.floor((clock.now() + hourMs) / 1000))
      const status = account.isOver ? 'rejected' : 'allowed'
      const unified = 'anthropic-ratelimit-unified'
      const headers = {
        [`${unified}-status`]: status,
        [`${unified}-reset`]: reset,
        [`${unified}-representative-claim`]: 'five_hour',
        [`${unified}-5h-status`]: status,
        [`${unified}-5h-reset`]: reset,
        [`${unified}-5h-utilization`]: account.isOver ? '1.01' : '0.1',
      }
      if (account.isOver)
        return { error: { status: 429, type: 'rate_limit_error', message: 'It would exceed the limit.' }, headers }
      if (lastUserText.includes('cut L') && step === 0)
        return { toolUses: [{ name: 'Bash', input: { command: 'touch cut; sleep 60' } }], headers }
      return { text: `SEEN ${userTexts.flatMap((text) => text.match(/\bL\d/g) ?? []).join('|')}`, headers }
    }
    await using iris = await TestIris.start({
      script,
      clock,
      teams: { frontend: {}, backend: yes },
      settings: {
        claudePath: claudeBinary(version),
        // The API names its limits to a login, and to no key.
        env: { ANTHROPIC_API_KEY: '', CLAUDE_CODE_OAUTH_TOKEN: 'sk-ant-oat01-scripted' },
      },
    })
    const pids: number[] = []
    iris.events$.subscribe((event) => {
      if (event.type === 'process-spawned') pids.push(event.pid)
    })
    expect(await ask(iris, 'backend', 'L1')).toMatchObject({ response: 'SEEN L1' })

    account.isOver = true
    const { turnId } = await callTool(iris, 'quick_message', { toTeam: 'backend', message: 'L2' })
    /** It waits for a reset that comes after this one, which is over. */
    const waits = async (after: number): Promise<number> => {
      const { until } = await iris.event('account-limited', (limit) => limit.until > after)
      await atRest()
      return until
    }
    const reset = await waits(0)
    await clock.jump(hourMs + 1000)
    await waits(reset + hourMs / 2)
    // The next one resumes the conversation from its file.
    process.kill(pids.at(-1)!, 'SIGKILL')
    await iris.event('process-terminated')
    account.isOver = false
    await clock.jump(hourMs + 1000)
    const afterLimit = await callTool(iris, 'message_status', { turnId, timeout: 0 })
    expect(afterLimit).toMatchObject({ status: 'completed', response: 'SEEN L1|L2' })
    expect(iris.rows(`SELECT count(*) AS n FROM deliveries WHERE turn = '${turnId}'`)).toEqual([{ n: 3 }])

    const cut = ask(iris, 'backend', 'cut L3')
    await eventually(() => existsSync(join(iris.world.directory('backend'), 'cut')), 'the tool has begun')
    process.kill(pids.at(-1)!, 'SIGKILL')
    expect(await cut).toMatchObject({ status: 'completed', response: 'SEEN L1|L2|L3' })
  })
})
