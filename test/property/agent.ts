import type { Rule } from '../fake-claude/script.ts'
import type { Session } from '../fake-claude/session.ts'
import { answerOf, messageOf, type Question, questionIn, type Step } from './question.ts'

type FakeStep = Rule['steps'][number]

export interface MindParts {
  readonly questions: ReadonlyMap<string, Question>
  /** The message of a turn, by the turn's id. */
  readonly messageOfTurn: (turnId: string) => string | undefined
  readonly broken: (what: string) => void
  /** Iris answered what an agent had asked of it. */
  readonly onTold: (question: Question, answer: { result?: Fields; code?: string }) => void
}

type Fields = Readonly<Record<string, unknown>>

/**
 * What goes on in the agents: each does what the plan of its question says. Told to go on, it does not repeat what is done:
 * it looks whether an effect is there, and asks again only what Iris does not tell it that it has asked.
 */
export class AgentMind {
  readonly #parts: MindParts
  /** What the fakes play; one rule a message heard, the newest first. */
  readonly rules: Rule[] = [
    {
      when: { regex: '^task' },
      steps: [
        { text: 'looking at {{message}}' },
        { delayMs: 1500 },
        { tool: { name: 'Look', during: [{ delayMs: 1500 }] } },
        { text: 'report of {{message}}' },
      ],
    },
    { steps: [{ text: 'nothing to say' }] },
  ]
  readonly effects: string[] = []
  /** What the agent behind a delivery believes to be asked, by its uuid. */
  readonly understood = new Map<string, Question>()
  /** How often agents have asked a question, answered or not. */
  readonly asks = new Map<Question, number>()
  readonly #asking = new Map<string, Question>()
  readonly #visits = new Map<string, number>()

  constructor(parts: MindParts) {
    this.#parts = parts
  }

  effect(line: string): void {
    this.effects.push(line)
  }

  /** A background task ends at a time: its file is there from then on. */
  fileExists(name: string, elapsed: number): boolean {
    return elapsed >= Number(name.split('@')[1] ?? 0)
  }

  /** A line on its way to a fake: makes the rule by which it will be answered. */
  hear(line: string, session: Session): void {
    const input = JSON.parse(line)
    if (input.type !== 'user') return
    const text: string = input.message.content[0].text
    const said = withoutSummary(text)
    const question = this.#understand(said, session)
    if (question === undefined) return
    this.understood.set(input.uuid, question)
    this.rules.unshift({ when: text, steps: this.#stepsOf(question, said, session) })
    if (this.rules.length > 20) this.rules.splice(10, this.rules.length - 12)
  }

  /** What an agent writes: notes which question it asks by which request. */
  say(text: string, pid: number): void {
    if (!text.includes('"tools/call"')) return
    const { request_id, request } = JSON.parse(text)
    const question = this.#parts.questions.get(questionIn(request.message.params.arguments.message) ?? '')
    if (question === undefined) return
    this.#asking.set(`${pid} ${request_id}`, question)
    this.asks.set(question, (this.asks.get(question) ?? 0) + 1)
  }

  /** What Iris writes to an agent. */
  told(line: string, pid: number): void {
    if (!line.includes('"mcp_response"')) return
    const { request_id, response } = JSON.parse(line).response
    const question = this.#asking.get(`${pid} ${request_id}`)
    const result = response.mcp_response.result
    if (question === undefined || result === undefined) return
    const { error, ...told } = JSON.parse(result.content[0].text)
    this.#parts.onTold(question, error === undefined ? { result: told } : { code: error.code })
  }

  #understand(text: string, { turns }: Session): Question | undefined {
    const named = questionIn(text)
    if (named !== undefined) return this.#parts.questions.get(named)
    if (!text.startsWith('<iris-continuation>')) return undefined
    const remembered = turns.flatMap(({ uuid }) => this.understood.get(uuid) ?? []).at(-1)
    if (remembered === undefined) this.#parts.broken(`told to go on with nothing to go on with: ${text}`)
    return remembered
  }

  #stepsOf(question: Question, text: string, session: Session): FakeStep[] {
    const isContinued = text.startsWith('<iris-continuation>')
    const asked = new Set(isContinued ? this.#askedIn(text) : [])
    const steps = question.plan.steps.flatMap((step, index) => {
      const place = `${question.id}.${index}`
      if (step.do === 'write' && isContinued && this.effects.includes(place)) return []
      const child = question.children.get(index)
      if (child && asked.has(messageOf(child))) return []
      return this.#play(step, place, child, session)
    })
    const end: FakeStep =
      question.plan.end === 'answer' ? { text: answerOf(question) } : { apiFailure: { status: 429, message: 'slower' } }
    return [...steps, end]
  }

  #askedIn(text: string): string[] {
    const turnIds = [...text.matchAll(/You had asked \S+ \(turn (\S+)\)/g)].map((match) => match[1] ?? '')
    return turnIds.map((turnId) => this.#parts.messageOfTurn(turnId) ?? '')
  }

  #play(step: Step, place: string, child: Question | undefined, { world }: Session): FakeStep[] {
    switch (step.do) {
      case 'think':
        return [{ delayMs: step.ms }]
      case 'write':
        return [
          {
            tool: {
              name: 'Write',
              during: [
                { delayMs: step.ms },
                { appendFile: { path: 'effects', line: place } },
                { delayMs: Math.min(step.ms, 200) },
              ],
            },
          },
        ]
      case 'ask': {
        if (child === undefined) throw new Error(`no question for ${place}`)
        const asked = { toTeam: child.to, message: messageOf(child), timeout: step.timeout }
        return [{ mcpCall: { name: 'send_message', arguments: asked } }]
      }
      case 'die':
        return this.#visit(place) < step.times ? [{ kill: 'SIGKILL' }] : []
      case 'hang':
        return this.#visit(place) < 1 ? [{ hang: true }] : []
      case 'unsolicited':
        return [{ unsolicitedTurn: { prompt: 'of my own accord' } }]
      case 'background': {
        const ends = world.clock.elapsed() + step.ms
        return [{ backgroundTask: { id: place, endsAfterFile: `end@${ends}`, prompt: `task ${place} ended` } }]
      }
    }
  }

  /** How often an agent has been there before. */
  #visit(place: string): number {
    const before = this.#visits.get(place) ?? 0
    this.#visits.set(place, before + 1)
    return before
  }
}

/** What an earlier conversation was about asks nothing. */
function withoutSummary(text: string): string {
  return text.replace(/^<iris-summary>[^]*?<\/iris-summary>\n/, '')
}
