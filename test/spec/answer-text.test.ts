import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { ModelAnswer, ModelBlock, Script } from '../../src/app/demo/script.ts'
import { judgeLines } from '../../src/claude/driver/transcript.ts'
import { ask, callTool } from '../support/call-tool.ts'
import { TestIris } from '../support/iris.ts'
import { type ClaudeVersion, claudeBinary, claudeVersions, contractVersions } from '../support/real-claude.ts'
import { transcriptPath } from '../support/transcript-path.ts'

const from = { fromTeam: 'frontend' }
const bash = (command: string): ModelBlock => ({ toolUse: { name: 'Bash', input: { command } } })
const text = (words: string): ModelBlock => ({ text: words })
const says = (...blocks: ModelBlock[]): ModelAnswer => ({ blocks })
/** The API sends the first blocks long before the stream breaks. */
const late = (words: string): ModelBlock => ({ text: afterOthers(words) })
async function* afterOthers(words: string): AsyncGenerator<string> {
  await new Promise(setImmediate)
  yield words
}

/** The model's messages, one by one, and the resulting answer. */
const forms: Readonly<Record<string, readonly [readonly ModelAnswer[], string]>> = {
  'several blocks': [[says(text('A one. '), text('B two.'))], 'A one. B two.'],
  'a thought behind the text': [[says(text('A one.'), { thinking: 'hm' })], 'A one.'],
  'narration, and a text behind a fast tool': [
    [says(text('Let me check.'), bash('true'), text('Checking.')), { text: 'It is 42.' }],
    'It is 42.',
  ],
  'a message that is cut': [
    [{ text: 'Part one ', stopReason: 'max_tokens' }, { text: 'part two.' }],
    'Part one part two.',
  ],
  'a message that is cut in its second block': [
    [{ ...says(text('PART-A.'), text(' PART-B ')), stopReason: 'max_tokens' }, { text: 'rest' }],
    'PART-A. PART-B rest',
  ],
  'a full context': [
    [{ text: '| a |', stopReason: 'model_context_window_exceeded' }, { text: '| b |' }],
    '| a |\n| b |',
  ],
  'a stop sequence': [[{ text: 'Stopped there.', stopReason: 'stop_sequence' }], 'Stopped there.'],
  'a first message without a word': [[says({ thinking: 'hm' }), { text: 'After nothing.' }], 'After nothing.'],
  'a stream that fails before a whole block': [[{ text: 'Half', breaks: 'error' }, { text: 'Again.' }], 'Again.'],
}

describe.each(contractVersions)('the answer of Claude Code %s', (version) => {
  let iris: TestIris
  let steps: readonly ModelAnswer[] = []
  let step = 0
  const script: Script = () => steps[Math.min(step++, steps.length - 1)]!

  beforeAll(async () => {
    const yes = { grantPermission: 'yes', dangerous: true }
    const teams = { frontend: {}, backend: yes, linted: yes }
    iris = await TestIris.start({ script, teams, settings: { claudePath: claudeBinary(version) } })
  })
  afterAll(() => iris[Symbol.asyncDispose]())

  const say = (message: string, answers: readonly ModelAnswer[], to = 'backend') => {
    steps = answers
    step = 0
    return ask(iris, to, message, from)
  }

  /** What Iris would find in the transcript if the process had died after the last line of the answer. */
  async function recovered(turnId: unknown, sessionId: unknown) {
    const { uuid } = iris.rows(`SELECT uuid FROM deliveries WHERE turn = '${String(turnId)}'`)[0]!
    const path = await transcriptPath(iris.world.claudeDirectory, String(sessionId))
    return judgeLines(readFileSync(path!, 'utf8').trimEnd().split('\n'), String(uuid))
  }

  test('is whole in each form, live and in the transcript', async () => {
    const given: { readonly form: string; readonly turnId: unknown; readonly sessionId: unknown }[] = []
    for (const [form, [answers, response]] of Object.entries(forms)) {
      const { turnId, sessionId, ...answer } = await say(form, answers)
      expect({ form, ...answer }).toMatchObject({ form, status: 'completed', response })
      given.push({ form, turnId, sessionId })
    }
    await callTool(iris, 'team_sleep', { team: 'backend', force: true, ...from })
    for (const { form, turnId, sessionId } of given) {
      const record = await recovered(turnId, sessionId)
      expect({ form, ...record }).toMatchObject({ form, kind: 'answered', answer: forms[form]![1] })
    }
  })

  test('goes on where its stream broke, or is none', async () => {
    const answers: ModelAnswer[] = [{ ...says(text('PART-A.'), late(' half')), breaks: 'error' }, { text: ' PART-B.' }]
    const expected: Record<ClaudeVersion, object> = {
      '2.1.330': { status: 'completed', response: 'PART-A. PART-B.' },
      '2.1.197': { status: 'failed', reason: 'api_error', partialResponse: 'PART-A.' },
    }
    const answer = await say('a broken stream', answers)
    expect(answer).toMatchObject(expected[version])
    await callTool(iris, 'team_sleep', { team: 'backend', force: true, ...from })
    const found = {
      '2.1.330': { kind: 'answered', answer: 'PART-A. PART-B.' },
      '2.1.197': { kind: 'unfinished', partial: 'PART-A.' },
    }
    expect(await recovered(answer.turnId, answer.sessionId)).toMatchObject(found[version])
  })

  // From here on the versions do not differ.
  if (!claudeVersions.includes(version)) return

  test('keeps what was whole before a Stop hook sent the agent on, and says so', async () => {
    const directory = iris.world.directory('linted')
    mkdirSync(join(directory, '.claude'))
    const command = 'if [ -e once ]; then rm once; echo "run the linter" >&2; exit 2; fi'
    const hooks = { Stop: [{ hooks: [{ type: 'command', command }] }] }
    writeFileSync(join(directory, '.claude/settings.json'), JSON.stringify({ hooks }))
    const given: Awaited<ReturnType<typeof say>>[] = []
    for (const linting of [[], [says(text('I lint.'), bash('true'))]]) {
      writeFileSync(join(directory, 'once'), '')
      const answers = [{ text: 'ANSWER 42' }, ...linting, { text: 'The linter is content.' }]
      const answer = await say('with a hook', answers, 'linted')
      expect(answer).toMatchObject({
        status: 'completed',
        response: 'ANSWER 42\n\nThe linter is content.',
        detail: 'A Stop hook of the project made the agent continue once: "run the linter".',
      })
      given.push(answer)
    }
    await callTool(iris, 'team_sleep', { team: 'linted', force: true, ...from })
    for (const { turnId, sessionId, response } of given)
      expect(await recovered(turnId, sessionId)).toMatchObject({ kind: 'answered', answer: response })
  })

  test('says that more was said before the last tool, and message_status has it', async () => {
    const why = 'THE ANSWER IS 42, and here is why.'
    const { turnId, response, detail } = await say('why', [says(text(why), bash('true')), { text: 'Committed.' }])
    expect(response).toBe('Committed.')
    expect(detail).toContain(`Before its last tools the agent said something longer (${why.length} characters)`)
    const { everything } = await callTool(iris, 'message_status', { turnId, everything: true, ...from })
    expect(everything).toBe(`${why}\n\nCommitted.`)
    expect(await callTool(iris, 'message_status', { turnId, ...from })).not.toHaveProperty('everything')
    // Text shorter than the answer needs no remark, but is still kept.
    const short = await say('first', [says(text('No: wait.'), bash('true')), { text: 'It is safe to go on with it.' }])
    expect(short).not.toHaveProperty('detail')
    const all = await callTool(iris, 'message_status', { turnId: short.turnId, everything: true, ...from })
    expect(all['everything']).toBe('No: wait.\n\nIt is safe to go on with it.')
  })
})
