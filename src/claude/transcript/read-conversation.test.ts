import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { scratchDirectory } from '../../../test/support/scratch.ts'
import { ConversationFile } from './conversation-file.ts'
import { readConversation } from './read-conversation.ts'

function newPath(): string {
  const scratch = scratchDirectory()
  onTestFinished(() => scratch[Symbol.dispose]())
  return join(scratch.path, 'conversation.json')
}

test('head, dates and messages come back as they were written', async () => {
  const path = newPath()
  const head = { sessionId: 's', agentName: 'ä"\n  "messages": [', from: 'a', to: 'b', thread: 'x' }
  const file = new ConversationFile({ path, head, createdAt: 0, onSetAside: () => {} })
  const messages = Array.from({ length: 2000 }, (_, number) => ({ type: 'a', number, text: '\u2028}, {'.repeat(50) }))
  await file.append(
    messages.map((message) => JSON.stringify(message)),
    1000,
  )
  const conversation = (await readConversation(path))!
  const dates = { createdAt: '1970-01-01T00:00:00.000Z', lastUpdated: '1970-01-01T00:00:01.000Z' }
  expect(conversation).toMatchObject({ ...head, ...dates })
  const read: unknown[] = []
  for await (const message of conversation.messages()) read.push(message)
  expect(read).toEqual(messages)
})

test('a reader who stops reads no further', async () => {
  const path = newPath()
  const head = { sessionId: 's', agentName: 'b', from: 'a', to: 'b', thread: 'x' }
  const file = new ConversationFile({ path, head, createdAt: 0, onSetAside: () => {} })
  await file.append(['{"type":"a"}', '{"type":"b"}'], 0)
  for await (const line of (await readConversation(path))!.messages()) {
    expect(line).toEqual({ type: 'a' })
    break
  }
})

test('what is no conversation is none; what is not there rejects', async () => {
  const path = newPath()
  await expect(readConversation(path)).rejects.toThrow('ENOENT')
  for (const text of ['', '{}', '{\n  "messages": [\n  ]\n}\n', '{\n  "sessionId": 5,\n  "messages": [']) {
    writeFileSync(path, text)
    expect(await readConversation(path)).toBeUndefined()
  }
})
