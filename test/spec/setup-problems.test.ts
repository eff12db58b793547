import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ask, callTool } from '../support/call-tool.ts'
import { eventually } from '../support/eventually.ts'
import { TestIris } from '../support/iris.ts'
import { claudeBinary, claudeVersions, contractVersions } from '../support/real-claude.ts'
import { runCommand } from '../support/run-command.ts'

/** A comma too many: the file is no JSON. */
const mistyped = '{"permissions": {"deny": ["Bash(touch *)"],}}'

interface Status {
  readonly teams: readonly { readonly setup?: { readonly problems: readonly { kind: string; text: string }[] } }[]
}

describe.each(contractVersions)('what Claude Code %s ignores of a project', (version) => {
  let iris: TestIris
  const write = (team: string, files: Readonly<Record<string, string>>): void => {
    for (const [name, text] of Object.entries(files)) {
      const path = join(iris.world.directory(team), name)
      mkdirSync(join(path, '..'), { recursive: true })
      writeFileSync(path, text)
    }
  }
  /** By `team_status`, as sentences. */
  async function problems(team: string): Promise<readonly string[]> {
    const { teams } = (await callTool(iris, 'team_status', { team })) as unknown as Status
    return (teams[0]!.setup?.problems ?? []).map(({ text }) => text)
  }
  async function findings(): Promise<readonly { check: string; state: string; detail: string }[]> {
    const { stdout } = await runCommand(iris.world, ['doctor', '--json'])
    return JSON.parse(stdout).findings.filter(({ check }: { check: string }) => check === 'project')
  }

  beforeAll(async () => {
    const loading = { mcpServers: 'project' }
    iris = await TestIris.start({
      settings: { claudePath: claudeBinary(version) },
      teams: { backend: loading, frontend: loading, mobile: {} },
    })
    const hook = { type: 'command', command: 'touch started' }
    const local = { hooks: { SessionStart: [{ hooks: [hook] }] }, enabledPlugins: { 'gone@nowhere': true } }
    write('backend', {
      '.claude/settings.json': mistyped,
      '.claude/settings.local.json': JSON.stringify(local),
      '.mcp.json': JSON.stringify({ mcpServers: { shop: { command: '/nowhere/server' } } }),
      'CLAUDE.md': 'Follow @docs/rules.md and @docs/style.md and `@docs/code.md`, and @docs/more.md, too\n',
      'docs/style.md': 'STYLE: as @./names.md says\n',
      'docs/more.md': 'MORE is read\n',
    })
  })
  afterAll(() => iris[Symbol.asyncDispose]())

  test('is named by doctor, without a run of anything of the project', async () => {
    const all = await findings()
    const directory = iris.world.directory('backend')
    expect(all.map(({ state, detail }) => `${state} ${detail}`)).toEqual([
      expect.stringMatching(`^fail Claude Code ignores ${directory}/.claude/settings.json \\(.*\\) \\(backend\\)$`),
      'warn The plugin gone@nowhere is enabled in the settings, and is not installed. (backend)',
      `warn ${directory}/CLAUDE.md imports @docs/rules.md, and there is no such file. (backend)`,
      `warn ${directory}/CLAUDE.md imports @docs/more.md, and Claude Code takes the "," after it for a part of the path. (backend)`,
      `warn ${directory}/docs/style.md imports @./names.md, and there is no such file. (backend)`,
    ])
    expect(existsSync(join(directory, 'started'))).toBe(false)
  })

  test('is named with the answer where it is a server, and by team_status, the terminal and doctor until it is corrected', async () => {
    const without = 'The agent answered without MCP servers that did not start: shop.'
    const answer = await ask(iris, 'backend', 'hello')
    expect(answer).toMatchObject({ status: 'completed', response: 'You said: hello', detail: without })
    const body = JSON.stringify(iris.world.model.requests.recent.at(-1)!.body)
    expect(['STYLE:', 'MORE is read'].map((text) => body.includes(text))).toEqual([true, false])
    expect(await ask(iris, 'frontend', 'hello')).not.toHaveProperty('detail')
    await eventually(async () => (await problems('backend')).length > 5, 'all problems')
    const ignored = expect.stringContaining('.claude/settings.json')
    const server = expect.stringMatching(/^The MCP server shop did not start: ENOENT/)
    const plugin = 'The plugin gone@nowhere is enabled in the settings, and is not installed.'
    const imports = ['CLAUDE.md imports @docs/rules.md,', 'CLAUDE.md imports @docs/more.md,', 'imports @./names.md,']
    expect(await problems('backend')).toEqual([
      ignored,
      server,
      plugin,
      ...imports.map((text) => expect.stringContaining(text)),
    ])
    expect(await problems('frontend')).toEqual([])
    const { stdout } = await runCommand(iris.world, ['status'])
    expect(stdout).toContain('problem: The MCP server shop did not start: ENOENT')
    expect(await findings()).toContainEqual(
      expect.objectContaining({
        state: 'warn',
        detail: expect.stringMatching(/^The MCP server shop did .* \(backend\)$/),
      }),
    )

    write('backend', { '.claude/settings.json': '{}', 'CLAUDE.md': 'As in @docs/style.md', 'docs/names.md': 'none' })
    rmSync(join(iris.world.directory('backend'), '.mcp.json'))
    await callTool(iris, 'team_sleep', { team: 'backend' })
    expect(await ask(iris, 'backend', 'again')).not.toHaveProperty('detail')
    await eventually(async () => (await problems('backend')).join() === plugin, 'what was corrected to be gone')
  })

  // From here on the versions do not differ.
  if (!claudeVersions.includes(version)) return

  test('is named where an import leads out of the project, until a person allows it', async () => {
    const directory = iris.world.directory('mobile')
    writeFileSync(join(iris.world.root, 'mine.md'), 'Speak like a pirate.')
    write('mobile', { 'CLAUDE.md': 'As in @~/mine.md' })
    const isRead = async (thread: string): Promise<boolean> => {
      await ask(iris, 'mobile', 'hello', { thread })
      return JSON.stringify(iris.world.model.requests.recent.at(-1)!.body).includes('like a pirate')
    }
    const named = expect.objectContaining({ detail: expect.stringContaining('imports @~/mine.md, which is outside') })
    expect(await isRead('before')).toBe(false)
    expect(await findings()).toContainEqual(named)
    const led = [expect.stringContaining('imports @~/mine.md, which is outside')]
    await eventually(async () => (await problems('mobile')).length > 0, 'the import that is not read')
    expect(await problems('mobile')).toEqual(led)
    const file = join(iris.world.root, '.claude.json')
    const person = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : {}
    const projects = { ...person.projects, [directory]: { hasClaudeMdExternalIncludesApproved: true } }
    writeFileSync(file, JSON.stringify({ ...person, projects }))
    expect(await isRead('after')).toBe(true)
    expect(await findings()).not.toContainEqual(named)
    await eventually(async () => (await problems('mobile')).length === 0, 'the import to be read')
  })

  test('is named when the project becomes a team', async () => {
    const directory = join(iris.world.root, 'shop')
    mkdirSync(join(directory, '.claude'), { recursive: true })
    writeFileSync(join(directory, '.claude', 'settings.json'), mistyped)
    const local = { enabledPlugins: { 'gone@nowhere': true } }
    writeFileSync(join(directory, '.claude', 'settings.local.json'), JSON.stringify(local))
    const { code, stderr } = await runCommand(iris.world, ['add-team', directory])
    expect(code).toBe(0)
    expect(stderr).toContain(`Note: Claude Code ignores ${join(directory, '.claude/settings.json')} (`)
    expect(stderr).toContain('Note: The plugin gone@nowhere is enabled in the settings, and is not installed.')
  })
})
