import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type CommandLineFacts, commandLine, terminalCommand } from './command-line.ts'

const facts: CommandLineFacts = {
  sessionId: '0b5c7d4e-0000-4000-8000-000000000000',
  resume: false,
  model: undefined,
  agent: undefined,
  allowedTools: [],
  disallowedTools: [],
  appendSystemPrompt: 'be kind',
  projectMcpServers: false,
  sessionMcp: undefined,
  version: '2.1.330',
}

/** The value of a flag. */
function after(words: readonly string[], flag: string): string | undefined {
  return words.includes(flag) ? words[words.indexOf(flag) + 1] : undefined
}

test('a new conversation is created under its id, a known one resumed, never both', () => {
  const created = commandLine(facts)
  const resumed = commandLine({ ...facts, resume: true })
  expect(after(created, '--session-id')).toBe(facts.sessionId)
  expect(created).not.toContain('--resume')
  expect(after(resumed, '--resume')).toBe(facts.sessionId)
  expect(resumed).not.toContain('--session-id')
})

test('lines go both ways, messages are echoed, text comes in pieces, permission questions over the pipe', () => {
  const words = commandLine(facts)
  expect(after(words, '--input-format')).toBe('stream-json')
  expect(after(words, '--output-format')).toBe('stream-json')
  expect(after(words, '--permission-prompt-tool')).toBe('stdio')
  expect(after(words, '--permission-mode')).toBe('default')
  for (const flag of ['--print', '--verbose', '--replay-user-messages', '--include-partial-messages']) {
    expect(words).toContain(flag)
  }
})

test('Iris’s own tools are always allowed, a team’s beside them; tools that start turns, change the conversation or speak to a person never', () => {
  const words = commandLine({ ...facts, allowedTools: ['Bash(git log *)', 'Read'], disallowedTools: ['Write'] })
  expect(after(words, '--allowedTools')).toBe('mcp__iris,Bash(git log *),Read')
  const closed = after(words, '--disallowedTools')?.split(',')
  expect(closed).toEqual(expect.arrayContaining(['CronCreate', 'EnterPlanMode', 'AskUserQuestion', 'SetGoal', 'Write']))
})

test('an older build gets no name of a tool that it would warn of', () => {
  const closed = after(commandLine({ ...facts, version: '2.1.197' }), '--disallowedTools')?.split(',')
  expect(closed).toContain('EnterPlanMode')
  expect(closed).not.toContain('SetGoal')
})

test('transcripts are kept for a hundred years, and messages of other sessions stay outside', () => {
  expect(JSON.parse(after(commandLine(facts), '--settings') ?? '')).toEqual({
    cleanupPeriodDays: 36_500,
    crossSessionInbound: 'refuse',
    disabledMcpjsonServers: ['iris'],
    env: { CLAUDE_CODE_SIMPLE: '0', CLAUDE_CODE_USE_POWERSHELL_TOOL: '0' },
  })
})

test('hooks hold whatever files say, and other variables for the process stay', () => {
  const settings = { env: { NO_PROXY: '127.0.0.1' } }
  const { env } = JSON.parse(after(commandLine({ ...facts, settings }), '--settings') ?? '')
  expect(env).toEqual({ NO_PROXY: '127.0.0.1', CLAUDE_CODE_SIMPLE: '0', CLAUDE_CODE_USE_POWERSHELL_TOOL: '0' })
})

test('commands in the text of skills run unless the facts say otherwise', () => {
  const disabled = (skillCommands: boolean) =>
    JSON.parse(after(commandLine({ ...facts, skillCommands }), '--settings') ?? '').disableSkillShellExecution
  expect([disabled(true), disabled(false)]).toEqual([undefined, true])
})

test('the project’s own MCP servers are loaded only where the team says so', () => {
  expect(commandLine(facts)).toContain('--strict-mcp-config')
  expect(commandLine({ ...facts, projectMcpServers: true })).not.toContain('--strict-mcp-config')
})

test('a model is named only where the team names one', () => {
  expect(after(commandLine({ ...facts, model: 'opus' }), '--model')).toBe('opus')
  expect(commandLine(facts)).not.toContain('--model')
})

test('whatever is appended to the system prompt is one word, in its place', () => {
  fc.assert(
    fc.property(fc.string(), (appendSystemPrompt) => {
      const words = commandLine({ ...facts, appendSystemPrompt })
      expect(words[words.indexOf('--append-system-prompt') + 1]).toBe(appendSystemPrompt)
      expect(words).toHaveLength(commandLine(facts).length)
    }),
  )
})

describe('the command for a person', () => {
  const facts = {
    directory: '/projects/shop',
    executable: 'claude',
    configDirectory: undefined,
    home: undefined,
    sessionId: 's',
  }

  test('goes to the project and resumes the conversation', () => {
    expect(terminalCommand(facts)).toBe('cd /projects/shop && claude --resume s')
  })

  test('names the files of Claude Code that are not where a person has his', () => {
    expect(terminalCommand({ ...facts, configDirectory: '/c', home: '/h' })).toBe(
      'cd /projects/shop && HOME=/h CLAUDE_CONFIG_DIR=/c claude --resume s',
    )
  })

  test('has the login of the account of the team, whose token it does not hold', () => {
    const variables = { ANTHROPIC_API_KEY: '', CLAUDE_CODE_OAUTH_TOKEN: '' }
    expect(terminalCommand({ ...facts, login: { variables, tokenFile: '/my tokens/work' } })).toBe(
      `cd /projects/shop && ANTHROPIC_API_KEY= CLAUDE_CODE_OAUTH_TOKEN="$(cat '/my tokens/work')" claude --resume s`,
    )
    expect(terminalCommand({ ...facts, login: { variables, tokenFile: undefined } })).toBe(
      'cd /projects/shop && ANTHROPIC_API_KEY= CLAUDE_CODE_OAUTH_TOKEN= claude --resume s',
    )
  })

  test('can be pasted whatever the names are', () => {
    const command = terminalCommand({ ...facts, directory: `/it's $HOME/;x`, configDirectory: '/a b' })
    expect(command).toBe(`cd '/it'\\''s $HOME/;x' && CLAUDE_CONFIG_DIR='/a b' claude --resume s`)
  })
})
