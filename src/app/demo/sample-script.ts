import { join } from 'node:path'
import type { Conversation, ToolResult } from './conversation.ts'
import { apiFile } from './sample-projects.ts'
import type { ModelAnswer, Script } from './script.ts'

export const questions = {
  first: 'Which port does your API listen on, and which call creates an order?',
  second: 'What was the first thing I asked you in this conversation? Quote it word for word.',
  third: 'Your process was asleep. Which port did you tell me? Answer from memory, without reading a file.',
  fourth: 'Now give me that port as a value that a program can read.',
} as const

/** The schema of the last answer. */
export const portSchema = { type: 'object', properties: { port: { type: 'integer' } }, required: ['port'] }

/** The model's script in the demo. It knows only what Claude Code sends about the projects. */
export const sampleScript: Script = ({ conversation }) => {
  if (conversation.lastUserText.includes(questions.fourth)) return giveValue(conversation)
  const question = spoken(conversation.lastUserText)
  if (question === questions.second) return { text: quoteFirst(conversation) }
  if (question === questions.third) return { text: remember(conversation) }
  const [result] = conversation.toolResults
  return result === undefined ? readApi(conversation) : { text: answerFrom(result) }
}

function readApi({ systemText }: Conversation): ModelAnswer {
  // Read needs an absolute path; the system prompt names the working directory.
  const directory = /working directory: (\/.*)/i.exec(systemText)?.[1] ?? '.'
  return {
    text: `I look into ${apiFile}.`,
    toolUses: [{ name: 'Read', input: { file_path: join(directory, apiFile) } }],
  }
}

function answerFrom({ text, isError }: ToolResult): string {
  const port = portIn(text)
  const endpoint = /method: '(POST)', path: '([^']+)', does: '(creates an order[^']*)'/.exec(text)
  if (isError || port === undefined || endpoint === null) return `I could not read ${apiFile}: ${text}`
  const [, method, path, does] = endpoint
  return `My API listens on port ${port}. ${method} ${path} ${does}. I read that in ${apiFile}.`
}

function quoteFirst({ earlierUserTexts }: Conversation): string {
  const [first] = earlierUserTexts
  if (first === undefined) return 'This is the first thing you ask me in this conversation.'
  return `You first asked: “${spoken(first)}”`
}

function giveValue({ allToolResults, step }: Conversation): ModelAnswer {
  if (step > 0) return { text: 'I gave the port as a value.' }
  const port = allToolResults.map(({ text }) => portIn(text)).find((found) => found !== undefined)
  return { toolUses: [{ name: 'mcp__iris__return_value', input: { value: { port: Number(port) } } }] }
}

function remember({ allToolResults, assistantTexts }: Conversation): string {
  const port = allToolResults.map(({ text }) => portIn(text)).find((found) => found !== undefined)
  const isAnswered = assistantTexts.some((text) => port !== undefined && text.includes(port))
  if (!isAnswered) return 'I do not remember telling you any port.'
  return `Port ${port}. I remember it from our conversation.`
}

function portIn(text: string): string | undefined {
  return /port = (\d+)/.exec(text)?.[1]
}

/** A message without the envelope in which Iris delivers it. */
function spoken(text: string): string {
  return text.replace(/^<iris-message [^>]*>\n/, '').replace(/\n<\/iris-message>$/, '')
}
