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
  expect(said).toEqual(['No tool has run in the last 25 calls to the model; the last one asked for Write'])
  calling(watch, 174, 25)
  expect(watch.over).toBeUndefined()
  calling(watch, 1, 199)
  expect(watch.over).toMatchObject({ kind: 'no_tool_ran' })
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

const blocked = { type: 'system', subtype: 'hook_response', exit_code: 2, stderr: 'run the linter' } as const

/** The model ends its turn `times` times, each time after a tool, and a hook of this event sends it on. */
function sentOn(watch: ProgressWatch, times: number, event = 'Stop', hooks = 1): void {
  for (let time = 0; time < times; time += 1) {
    watch.toolRuns()
    calling(watch, 1)
    for (let hook = 0; hook < hooks; hook += 1) watch.take({ ...blocked, hook_event: event, hook_name: event })
  }
}

test('25 refusals of a Stop hook are said, though tools run, and 200 are too many', () => {
  const said: (string | undefined)[] = []
  const watch = new ProgressWatch((why) => said.push(why))
  sentOn(watch, 24, 'Stop', 2)
  sentOn(watch, 30, 'PostToolUse')
  expect(said).toEqual([])
  sentOn(watch, 1)
  expect(said).toEqual(['A Stop hook has made the agent continue 25 times'])
  sentOn(watch, 174)
  expect(watch.over).toBeUndefined()
  sentOn(watch, 1)
  const why = 'A Stop hook has made the agent continue 200 times: "run the linter"'
  expect(watch.over).toEqual({ kind: 'sent_on_by_hook', why })
})

test('a message that joins the turn begins the count of refusals anew', () => {
  const said: (string | undefined)[] = []
  const watch = new ProgressWatch((why) => said.push(why))
  sentOn(watch, 25)
  watch.take({ type: 'user', isReplay: true, uuid: 'joined' })
  expect(said.at(-1)).toBeUndefined()
  sentOn(watch, 199)
  expect(watch.over).toBeUndefined()
})
