import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Content, MessagesBody } from '../../src/app/demo/messages-api.ts'
import type { ModelReply, Script, ToolUse } from '../../src/app/demo/script.ts'

/**
 * What the model does for a message, in this order, and then it answers: `tool` runs a command, `held` one that waits for its
 * gate, `bg` leaves one running, `busy` leaves one running whose report needs a command of its own, `defer` runs one that a hook
 * puts off, `think` holds the answer in the middle of its text, `fail` has the API refuse.
 */
export const works = ['tool', 'held', 'bg', 'busy', 'defer', 'think', 'fail'] as const
export type Work = (typeof works)[number]

/** A call of the model: what it was about. */
export interface ModelCall {
  /** Messages that were to be answered. */
  readonly messages: readonly string[]
  /** Commands in the background whose end was to be reported. */
  readonly reports: readonly string[]
  readonly inputTokens: number
  /** Of `performance.now()`. */
  readonly at: number
  /** The answer's marks; undefined: it uses a tool. */
  readonly final: string | undefined
  /** The work for which it uses a tool; `r` is before that of a report. */
  readonly use: string | undefined
  /** The end of the conversation as the model got it. */
  readonly seen: string
}

/** What the conversation still owes, read as a model would read it. */
interface Owed {
  readonly messages: Set<string>
  readonly reports: Set<string>
  readonly used: Set<string>
  readonly lastResults: string[]
}

const news =
  /This belongs to the message that you work on|The asker added this while you worked|<iris-message [^>]*>\n(t\d+)\b|<task-notification>[\s\S]*?job-(t\d+\.\d+)[\s\S]*?<\/task-notification>|\[Request interrupted/g
/** What the CLI itself puts behind a message without an answer when it takes a conversation up: no answer to it. */
const insertedOnResume = 'No response requested.'
const useId = /^toolu_(r?)_?(t\d+)_(\d+)_/

/** Each answer, each tool and each report has the mark of the message that it belongs to: `t7`, and `t7.0` for its first work. */
export class TurnModel {
  readonly calls: ModelCall[] = []
  /** The work of each message. */
  readonly works = new Map<string, readonly Work[]>()
  /** Messages that ended without an answer: nobody would answer them later. */
  readonly over = new Set<string>()
  #directory = ''
  readonly #gates = new Map<string, PromiseWithResolvers<void>>()
  /** Gates in front of which something waits, or is about to. */
  readonly reached = new Set<string>()
  #uses = 0
  #isOpen = false

  /** `directory`: where commands look for their gates. Call it first. */
  standsIn(directory: string): void {
    this.#directory = directory
  }

  get script(): Script {
    return ({ body }) => this.#reply(owedIn(body, this.over), seenIn(body))
  }

  /** The commands that ran to their end; `r` is before those of reports. */
  get effects(): readonly string[] {
    const effects = join(this.#directory, 'effects')
    return existsSync(effects) ? readFileSync(effects, 'utf8').split('\n').filter(Boolean) : []
  }

  /** For what waits within the model; for commands there is a file. */
  open(gate: string): void {
    this.reached.delete(gate)
    this.#gate(gate).resolve()
  }

  openAll(isOpen: boolean): void {
    this.#isOpen = isOpen
    this.reached.clear()
    if (isOpen) for (const { resolve } of this.#gates.values()) resolve()
  }

  #gate(name: string): PromiseWithResolvers<void> {
    const gate = this.#gates.get(name) ?? Promise.withResolvers<void>()
    this.#gates.set(name, gate)
    if (this.#isOpen) gate.resolve()
    return gate
  }

  #reply(owed: Owed, seen: string): ModelReply {
    const inputTokens = 1000 + this.calls.length
    const noted = ({ final, use }: { readonly final?: string; readonly use?: string }): void => {
      const [messages, reports] = [[...owed.messages], [...owed.reports]]
      this.calls.push({ messages, reports, inputTokens, at: performance.now(), final, use, seen })
    }
    for (const token of owed.messages) {
      for (const [at, work] of this.#works(token).entries()) {
        const step = `${token}.${at}`
        if (work === 'fail')
          return { error: { status: 400, type: 'invalid_request_error', message: `refused[${token}]` } }
        if (work === 'think' || owed.used.has(step) || this.effects.includes(step)) continue
        noted({ use: step })
        return { text: `step[${step}]`, toolUses: [this.#use(step, work)], inputTokens }
      }
    }
    for (const step of owed.reports) {
      const [token = '', at] = step.split('.')
      if (this.#works(token)[Number(at)] !== 'busy' || owed.used.has(`r${step}`)) continue
      noted({ use: `r${step}` })
      return { text: `look[${step}]`, toolUses: [this.#command(`r${step}`, true)], inputTokens }
    }
    const marks = [
      ...[...owed.messages].map((token) => `answer[${token}]`),
      ...[...owed.reports].map((step) => `report[${step}]`),
      ...(owed.messages.size + owed.reports.size === 0 ? owed.lastResults.map((token) => `late[${token}]`) : []),
    ].join(' ')
    noted({ final: marks })
    const held = [...owed.messages].find((token) => this.#works(token).includes('think'))
    if (held === undefined) return { text: marks, inputTokens }
    this.#reach(`${held}.think`)
    return { stream: inPieces(this.#gate(`${held}.think`).promise, marks), inputTokens }
  }

  #works(token: string): readonly Work[] {
    return this.works.get(token) ?? []
  }

  #use(step: string, work: Work): ToolUse {
    if (work === 'defer') return this.#bash(step, `: defer-me ${step}; ${this.#effect(step)}`)
    if (work === 'tool') return this.#command(step, false)
    if (work === 'held') return this.#command(step, true)
    const input = { description: `job-${step}`, run_in_background: true }
    return this.#bash(step, `${this.#wait(step)}; : job-${step}`, input)
  }

  #command(step: string, isHeld: boolean): ToolUse {
    return this.#bash(step, isHeld ? `${this.#wait(step)}; ${this.#effect(step)}` : this.#effect(step))
  }

  #bash(step: string, command: string, more: object = {}): ToolUse {
    this.#uses += 1
    const id = `toolu_${step.replace('r', 'r_').replace('.', '_')}_${this.#uses}`
    return { id, name: 'Bash', input: { command, description: 'a step', ...more } }
  }

  #wait(step: string): string {
    this.#reach(step)
    return `while [ ! -e ${this.#directory}/all ] && [ ! -e ${this.#directory}/${step} ]; do sleep 0.1; done`
  }

  #reach(gate: string): void {
    if (!this.#isOpen) this.reached.add(gate)
  }

  #effect(step: string): string {
    return `echo ${step} >> ${join(this.#directory, 'effects')}`
  }
}

/** The message, or with `r` the report, for which a tool was used. */
export function ownerOfUse(id: string): UseOwner | undefined {
  const [, report, token, at] = useId.exec(id) ?? []
  return token === undefined ? undefined : { token, isReport: report === 'r', step: `${report}${token}.${at}` }
}

interface UseOwner {
  readonly token: string
  readonly isReport: boolean
  readonly step: string
}

async function* inPieces(gate: Promise<void>, rest: string): AsyncGenerator<string> {
  yield 'well '
  await gate
  yield rest
}

function seenIn({ messages }: MessagesBody): string {
  const short = ({ type, text, id, tool_use_id: used }: Block): string =>
    type === 'text' ? String(text).replaceAll(/\s+/g, ' ').slice(-160) : `${type} ${String(id ?? used)}`
  return messages
    .slice(-5)
    .map(({ role, content }) => `    ${role}: ${blocksOf(content).map(short).join(' | ')}`)
    .join('\n')
}

function owedIn({ messages }: MessagesBody, over: ReadonlySet<string>): Owed {
  const owed: Owed = { messages: new Set(), reports: new Set(), used: new Set(), lastResults: [] }
  for (const { role, content } of messages) {
    const blocks = blocksOf(content)
    owed.lastResults.length = 0
    if (role === 'assistant') {
      const uses = blocks.filter(({ type }) => type === 'tool_use')
      for (const { id } of uses) owed.used.add(ownerOfUse(String(id))?.step ?? '')
      if (uses.length > 0 || blocks.some(({ text }) => text === insertedOnResume)) continue
      owed.messages.clear()
      owed.reports.clear()
    } else for (const block of blocks) take(block, owed, over)
  }
  return owed
}

/** Messages and notifications also come in the middle of a turn, in a message of the system. */
function take(
  { type, text, tool_use_id: id }: Block,
  { messages, reports, lastResults }: Owed,
  over: ReadonlySet<string>,
): void {
  const owner = type === 'tool_result' ? ownerOfUse(String(id)) : undefined
  if (owner !== undefined) lastResults.push(owner.token)
  if (type !== 'text') return
  let joins = false
  for (const [all, token, report] of String(text).matchAll(news)) {
    if (token !== undefined) {
      if (over.has(token)) continue
      // One message after the other: those before it are over.
      if (!joins) messages.clear()
      messages.add(token)
    } else if (report !== undefined) reports.add(report)
    else if (all.startsWith('[')) {
      messages.clear()
      reports.clear()
    } else joins = true
  }
}

type Block = Exclude<Content, string>[number]

function blocksOf(content: Content): readonly Block[] {
  return typeof content === 'string' ? [{ type: 'text', text: content }] : content
}
