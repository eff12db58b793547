import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import type { TurnResult } from '../../base/protocol/turn.ts'
import { checkConversation, closingWords, type Exchange } from './demo-report.ts'
import type { DemoWorld } from './demo-world.ts'
import { questions } from './sample-script.ts'

const sessionId = '6a3f8a52-54b4-4d3c-a2b4-6f5a9f2f8f11'

function world(tool = 'Read'): DemoWorld {
  const root = mkdtempSync(join(tmpdir(), 'iris-report-'))
  onTestFinished(() => rmSync(root, { recursive: true }))
  const directory = join(root, '.claude/projects/-backend')
  mkdirSync(directory, { recursive: true })
  const use = { type: 'tool_use', name: tool, input: { file_path: '/p/backend/src/api.ts' } }
  const lines = [{ version: '9.9.9' }, { message: { content: 'text' } }, { message: { content: [use] } }]
  writeFileSync(join(directory, `${sessionId}.jsonl`), `${lines.map((line) => JSON.stringify(line)).join('\n')}\n{"cut`)
  const projects = { frontend: '/p/frontend', backend: '/p/backend', port: 43_210 }
  return { root, home: join(root, 'iris'), projects, env: { HOME: root } }
}

const good = ['Port 43210.', `You asked: “${questions.first}”`, 'It was 43210.'] as const

function exchanges(answers: readonly string[], change: Partial<TurnResult> = {}): Exchange[] {
  return answers.map((response) => {
    const result = { status: 'completed', sessionId, response, value: { port: 43_210 }, ...change } as TurnResult
    return { question: '', result, ms: 1 }
  })
}

test('answers that could only come from the file and from the conversation pass', () => {
  expect(() => checkConversation(world(), exchanges(good), false)).not.toThrow()
  const quoted = [good[0], `"${questions.first.toLowerCase().replaceAll(' ', '\n')}"`, good[2]]
  expect(() => checkConversation(world('Grep'), exchanges(quoted), true)).not.toThrow()
})

test.each([
  ['The first answer does not name the port', ['Port 1.', good[1], good[2]]],
  ['The second answer does not quote the first question', [good[0], 'This is the first thing you ask me.', good[2]]],
  ['The third answer does not remember', [good[0], good[1], 'I do not remember.']],
])('fails: %s', (what, answers) => {
  expect(() => checkConversation(world(), exchanges(answers), false)).toThrow(what)
})

test('fails: a file that was never read, a conversation that was lost', () => {
  expect(() => checkConversation(world('Bash'), exchanges(good), false)).toThrow('does not show that it read')
  expect(() => checkConversation(world(), exchanges(good, { contextReset: 'gone' }), false)).toThrow('start over')
  expect(() => checkConversation(world(), exchanges(good, { value: { port: '1' } }), false)).toThrow('no value')
  const [first, ...rest] = exchanges(good)
  const elsewhere = { ...first!, result: { ...first!.result, sessionId: 'another' } }
  expect(() => checkConversation(world(), [...rest, elsewhere], false)).toThrow('different conversations')
})

test('the closing words name the version that wrote the transcript, and what stood in', () => {
  const scripted = closingWords(world(), exchanges(good), false).join('\n')
  expect(scripted).toMatch(/^Real +Claude Code 9\.9\.9, /)
  expect(scripted).toContain('Scripted   The model')
  expect(closingWords(world(), exchanges(good), true).join('\n')).not.toContain('Scripted')
})
