import { existsSync, utimesSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import type { Script } from '../../src/app/demo/script.ts'
import { ask, callTool } from '../support/call-tool.ts'
import { eventually } from '../support/eventually.ts'
import { TestIris } from '../support/iris.ts'
import { claudeBinary, claudeVersions } from '../support/real-claude.ts'
import { transcriptPath } from '../support/transcript-path.ts'
import { spoken } from '../support/world.ts'

const fromTeam = 'frontend'
const dayMs = 86_400_000
const remembers: Script = ({ conversation }) => ({ text: conversation.userTexts.map(spoken).join(' | ') })

function makeOld(file: string, days: number): void {
  const then = new Date(Date.now() - days * dayMs)
  utimesSync(file, then, then)
}

// Side by side: a CLI cleans up some seconds after its start.
test.concurrent.each(claudeVersions)(
  'Claude Code %s keeps a transcript of 45 days when Iris starts another beside it, and resumes it',
  async (version) => {
    await using iris = await TestIris.start({ script: remembers, settings: { claudePath: claudeBinary(version) } })
    const first = await ask(iris, 'backend', 'one', { fromTeam })
    await callTool(iris, 'team_sleep', { team: 'backend', fromTeam })
    const transcript = (await transcriptPath(iris.world.claudeDirectory, first.sessionId))!
    makeOld(transcript, 45)
    // The CLI deletes what is older than Iris asks it to keep: that this file is gone shows that it has cleaned up.
    // Both files are of one project, because a team's CLI does not see the conversations of the others.
    const ancient = join(dirname(transcript), `${crypto.randomUUID()}.jsonl`)
    writeFileSync(ancient, '{}\n')
    makeOld(ancient, 36_600)

    await ask(iris, 'backend', 'hello', { fromTeam: 'mobile' })
    await eventually(() => !existsSync(ancient), 'the CLI has cleaned up')
    expect(existsSync(transcript)).toBe(true)
    const second = await ask(iris, 'backend', 'two', { fromTeam })
    expect(second).toMatchObject({ status: 'completed', response: 'one | two', sessionId: first.sessionId })
    expect(second).not.toHaveProperty('contextReset')
  },
  60_000,
)
