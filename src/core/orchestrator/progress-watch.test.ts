import { expect, test } from 'vitest'
import { ProgressWatch } from './progress-watch.ts'

function calling(watch: ProgressWatch, count: number, from = 0): void {
  for (let call = from; call < from + count; call += 1) {
    for (const block of [
      { type: 'text', text: 'x' },
      { type: 'tool_use', name: 'Write' },
    ])
      watch.take({ type: 'assistant', message: { id: `msg_${call}`, content: [block] } })
  }
}

test('25 calls of the model in a row without a tool are said, and 200 are too many', () => {
  const said: (string | undefined)[] = []
  const watch = new ProgressWatch((why) => said.push(why))
  calling(watch, 24)
  expect(said).toEqual([])
  calling(watch, 1, 24)
  expect(said).toEqual(['No tool has run in the last 25 calls of the model; the last one asked for Write'])
  calling(watch, 174, 25)
  expect(watch.isOver).toBe(false)
  calling(watch, 1, 199)
  expect(watch.isOver).toBe(true)
})

test('a tool that runs begins the count anew', () => {
  const said: (string | undefined)[] = []
  const watch = new ProgressWatch((why) => said.push(why))
  for (let round = 0; round < 100; round += 1) {
    calling(watch, 24, 24 * round)
    watch.toolRuns()
  }
  expect(said).toEqual([])
})

test('a silent tool is said until a line comes that is no heartbeat', () => {
  const said: (string | undefined)[] = []
  const watch = new ProgressWatch((why) => said.push(why))
  watch.toolIsSilent('mcp__db__query', 600_000)
  watch.take({ type: 'tool_progress', heartbeat: true })
  expect(said).toEqual(['mcp__db__query has not answered for 10 minutes'])
  watch.take({ type: 'user' })
  expect(said.at(-1)).toBeUndefined()
})
