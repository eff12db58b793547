import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { Script } from '../../src/demo/script.ts'
import { ask } from '../support/call-tool.ts'
import { TestIris } from '../support/iris.ts'
import { answerPermission, questionOf } from '../support/owner.ts'
import { claudeBinary, claudeVersions } from '../support/real-claude.ts'
import { spoken } from '../support/world.ts'

/** Runs the message as a command and repeats what came of it. */
const runs: Script = ({ conversation: { lastUserText, step, toolResults } }) =>
  step === 0
    ? { toolUses: [{ name: 'Bash', input: { command: spoken(lastUserText) } }] }
    : { text: `${toolResults.at(-1)?.isError ? 'refused: ' : ''}${toolResults.at(-1)?.text}` }

describe.each(claudeVersions)('a person is asked about a tool of Claude Code %s', (version) => {
  const settings = { claudePath: claudeBinary(version) }

  test('allowed, it runs', async () => {
    await using iris = await TestIris.start({ script: runs, settings, teams: ['frontend', 'backend'] })
    const made = join(iris.world.directory('backend'), 'made.txt')
    const answered = ask(iris, 'backend', 'echo done | tee made.txt', { fromTeam: 'frontend' })
    const question = await questionOf(iris, 'backend')
    expect(existsSync(made)).toBe(false)
    expect(await answerPermission(iris, question, 'allow')).toMatchObject({ status: 'answered' })
    expect(await answered).toMatchObject({ status: 'completed', response: 'done' })
    expect(existsSync(made)).toBe(true)
  })

  test('denied, it does not run, and the model hears why', async () => {
    await using iris = await TestIris.start({ script: runs, settings, teams: ['backend'] })
    const answered = ask(iris, 'backend', 'touch made.txt')
    await answerPermission(iris, await questionOf(iris, 'backend'), 'deny', { message: 'Use the other file.' })
    const response = 'refused: Team "backend" may not use Bash: the person who was asked says no: Use the other file.'
    expect(await answered).toMatchObject({ status: 'completed', response })
    expect(existsSync(join(iris.world.directory('backend'), 'made.txt'))).toBe(false)
  })
})
