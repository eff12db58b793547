import { existsSync, mkdirSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { Script } from '../../src/demo/script.ts'
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
  'Claude Code %s keeps a transcript of 45 days when Iris starts others beside it, and resumes it',
  async (version) => {
    await using iris = await TestIris.start({ script: remembers, settings: { claudePath: claudeBinary(version) } })
    const first = await ask(iris, 'backend', 'one', { fromTeam })
    await callTool(iris, 'team_sleep', { team: 'backend', fromTeam })
    const transcript = (await transcriptPath(iris.world.claudeDirectory, first.sessionId))!
    makeOld(transcript, 45)
    // What is older than Iris asks to keep goes, and tells that the CLI has cleaned up.
    const project = join(iris.world.claudeDirectory, 'projects', 'another')
    const ancient = join(project, `${crypto.randomUUID()}.jsonl`)
    mkdirSync(project)
    writeFileSync(ancient, '{}\n')
    makeOld(ancient, 36_600)

    await ask(iris, 'mobile', 'hello', { fromTeam })
    await eventually(() => !existsSync(ancient), 'the CLI has cleaned up', 30_000)
    expect(existsSync(transcript)).toBe(true)
    const second = await ask(iris, 'backend', 'two', { fromTeam })
    expect(second).toMatchObject({ status: 'completed', response: 'one | two', sessionId: first.sessionId })
    expect(second).not.toHaveProperty('contextReset')
  },
  60_000,
)
