import { existsSync, readdirSync, realpathSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { ask } from '../support/call-tool.ts'
import { TestIris } from '../support/iris.ts'
import { startSshHost } from '../support/ssh-host.ts'

async function withRemoteBackend(options: Parameters<typeof TestIris.start>[0] = {}) {
  const host = await startSshHost()
  const backend = { remote: host.remote, path: realpathSync(host.directory('backend')) }
  const iris = await TestIris.start({ ...options, teams: { frontend: {}, backend } })
  host.writeProfile({
    ANTHROPIC_BASE_URL: iris.world.model.url,
    ANTHROPIC_API_KEY: 'dummy',
    DISABLE_AUTOUPDATER: '1',
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
  })
  return {
    host,
    iris,
    async [Symbol.asyncDispose]() {
      await iris[Symbol.asyncDispose]()
      await host[Symbol.asyncDispose]()
    },
  }
}

describe('a team on another machine', () => {
  test('answers a team of this one, with the real Claude Code there and its transcript there', async () => {
    await using world = await withRemoteBackend()
    const { iris, host } = world
    const answer = await ask(iris, 'backend', 'are you there?', { fromTeam: 'frontend' })
    expect(answer).toMatchObject({ status: 'completed', response: 'You said: are you there?' })
    const projects = readdirSync(join(host.home, '.claude/projects'))
    expect(projects).toEqual([host.directory('backend').replace(/[^a-zA-Z0-9]/g, '-')])
    expect(existsSync(join(iris.world.claudeDirectory, 'projects', projects[0]!))).toBe(false)
  })
})
