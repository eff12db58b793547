import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Script } from '../../src/app/demo/script.ts'
import { eventually } from '../support/eventually.ts'
import { consoleOf, startForConsoles } from '../support/iris-console.ts'
import { Installation } from '../support/program.ts'
import { spoken } from '../support/world.ts'

let iris: Installation

/** `backend` reads src-api.ts before it answers. In the console: `ask <question>`. */
const script: Script = ({ conversation: { lastUserText, step } }) => {
  const message = lastUserText.indexOf('<iris-message from=')
  if (message >= 0) {
    const file = join(iris.world.directory('backend'), spoken(lastUserText.slice(message)))
    return step === 0 ? { toolUses: [{ name: 'Read', input: { file_path: file } }] } : { text: 'The port is 1.' }
  }
  if (lastUserText.includes('Iris, team backend')) return { text: 'I have read it.' }
  const [verb, name = ''] = lastUserText.split(' ')
  if (step > 0 || verb !== 'ask') return { text: `Done with ${name}.` }
  const input = { toTeam: 'backend', message: name, onChange: 'atOnce' }
  return { toolUses: [{ name: 'mcp__iris__send_message', input }] }
}

beforeAll(async () => {
  iris = await Installation.create({ script, settings: { maxSilence: 120_000 } })
  await startForConsoles(iris, ['frontend'])
})
afterAll(() => iris[Symbol.asyncDispose]())

test('an idle terminal shows by itself, once, that a file has changed on which an answer relied', {
  tags: ['thorough'],
  timeout: 120_000,
}, async () => {
  const file = join(iris.world.directory('backend'), 'api.ts')
  writeFileSync(file, 'export const port = 1\n')
  await using person = consoleOf(iris, 'frontend')
  await person.shows('❯')
  await person.type('ask api.ts')
  await person.shows('Done with api.ts.')
  const hashed = () => iris.rows("SELECT 1 FROM answer_files WHERE path = 'api.ts'").length > 0
  await eventually(hashed, 'Iris has noted the file of the answer')
  writeFileSync(file, 'export const port = 2\n')
  await person.shows('its answer may be out of date.')
  await person.shows('api.ts, on which it relied, has changed.')
  await person.shows('I have read it.')
  const inputs = iris.world.model.requests.recent.map(({ body }) => JSON.stringify(body.messages.at(-1)))
  expect(inputs.filter((input) => input.includes('its answer may be out of date.'))).toHaveLength(1)
})
