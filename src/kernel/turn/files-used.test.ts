import { expect, test } from 'vitest'
import type { Line } from '../../base/agent/line.ts'
import { filesNamed } from './files-used.ts'

const command = (text: string): Line => ({
  type: 'assistant',
  message: { content: [{ type: 'tool_use', id: 'one', name: 'Bash', input: { command: text } }] },
})
const result = (value: unknown): Line => ({ type: 'user', tool_use_result: value })

test.each([
  ['cat src/api.ts', ['cat', 'src/api.ts']],
  [`grep -rn "where is" 'a file.ts' "src/b c.ts"|head -5`, ['grep', 'where is', 'a file.ts', 'src/b c.ts', 'head']],
  ['sed -n 1,9p src/api.ts>out.txt&&wc -l <in.txt', ['sed', '1,9p', 'src/api.ts', 'out.txt', 'wc', 'in.txt']],
  ['cat "$HOME/.ssh/id" `ls` --file=x', ['cat', 'HOME/.ssh/id', 'ls', 'x']],
])('the words of a command: %s', (text, words) => {
  expect(filesNamed(command(text))).toEqual(words)
})

test('the files at the beginning of the lines that a search printed, each once', () => {
  const stdout = 'src/a.ts:3:one needle\nsrc/a.ts:9:two\nsrc/b c.ts:needle\nno file\n:\n'
  expect(filesNamed(result({ stdout, stderr: '' }))).toEqual(['src/a.ts', 'src/b c.ts'])
  expect(filesNamed(result({ mode: 'files_with_matches', filenames: ['src/a.ts'], numFiles: 1 }))).toEqual(['src/a.ts'])
  expect(filesNamed(result({ mode: 'content', filenames: [], content: 'src/a.ts:3:x' }))).toEqual(['src/a.ts'])
  // A list of names says nothing about the files' content.
  expect(filesNamed(result({ filenames: ['src/a.ts'], numFiles: 1, truncated: false }))).toEqual([])
})

test('a command and an output of any length name a bounded number of files', () => {
  expect(filesNamed(command('x.ts '.repeat(1_000_000)))).toHaveLength(50)
  const stdout = Array.from({ length: 100_000 }, (_, n) => `${n}.ts:1:x`).join('\n')
  expect(filesNamed(result({ stdout })).length).toBeLessThanOrEqual(2000)
  for (const shape of [undefined, null, 'text', 7, { stdout: 7 }, { mode: 1, filenames: 'a', content: [] }])
    expect(filesNamed(result(shape))).toEqual([])
})
