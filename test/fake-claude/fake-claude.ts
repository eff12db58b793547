import { stopBackgroundAgents } from './background-task.ts'
import { answerControl, type ControlRequest } from './control.ts'
import { leave } from './leave.ts'
import { type Message, messageOf, unsolicitedMessage } from './message.ts'
import { runTurn } from './run-turn.ts'
import type { Session } from './session.ts'
import { echo, lifecycle, Turn } from './turn.ts'

interface InputLine {
  readonly type?: string
  readonly uuid?: unknown
  readonly message?: { readonly content?: unknown }
  readonly request_id?: string
  readonly request?: ControlRequest
  readonly response?: { readonly request_id?: string }
}

/**
 * A double of the Claude Code CLI behind its stream-json pipe: lines in, lines out, no process and no files but through
 * its world. Honest about being one: version 9.9.9, model `fake-model`.
 */
export class FakeClaude {
  readonly session: Session
  readonly #waiting: Message[] = []
  #turn: Turn | undefined
  #working = false
  #inputEnded = false

  constructor(session: Session) {
    this.session = session
  }

  /** One line of input, without its line feed. */
  receive(line: string): void {
    const input = parse(line)
    if (input === undefined) {
      this.session.world.stderr(
        `Error parsing streaming input line (type=unknown, ${line.length} chars): SyntaxError\n`,
      )
      leave(this.session, 1)
    } else if (input.type === 'user') this.#message(messageOf(input, () => this.session.world.newId()))
    else if (input.type === 'control_request') this.#control(input.request_id, input.request ?? {})
    else if (input.type === 'control_response') this.#controlResponse(input)
  }

  /** Finishes what runs and waits, then ends; whatever is asked of the host from now on fails. */
  endInput(): void {
    if (this.session.script.ignoreInputEnd === true) return
    this.#inputEnded = true
    this.session.host.close()
    this.#leaveIfDone()
  }

  /** SIGTERM. */
  terminate(): void {
    if (this.session.script.ignoreTerm !== true) leave(this.session, 143)
  }

  interrupt(): string[] {
    if (this.#turn !== undefined) {
      this.session.host.withdrawAll()
      this.#turn.interrupt()
    } else stopBackgroundAgents(this.session)
    return this.#waiting.filter(({ asked }) => asked).map(({ uuid }) => uuid)
  }

  cancelMessage(uuid: string): boolean {
    const message = this.#waiting.find((waiting) => waiting.uuid === uuid)
    if (message === undefined) return false
    this.#waiting.splice(this.#waiting.indexOf(message), 1)
    this.session.known.delete(uuid)
    lifecycle(this.session, message, 'cancelled')
    return true
  }

  takeAll(): readonly Message[] {
    return this.#waiting.splice(0)
  }

  addUnsolicited(prompt: string, run?: string): void {
    this.#waiting.unshift(unsolicitedMessage(prompt, run, () => this.session.world.newId()))
    void this.#work()
  }

  #message(message: Message): void {
    const { session } = this
    if (session.known.has(message.uuid)) {
      echo(session, message, true)
      session.world.record({ event: 'message', uuid: message.uuid, text: message.text, ran: false })
      return
    }
    session.known.add(message.uuid)
    lifecycle(session, message, 'queued')
    session.transcript.note({ type: 'queue-operation', operation: 'enqueue' })
    this.#waiting.push(message)
    void this.#work()
  }

  async #work(): Promise<void> {
    if (this.#working) return
    this.#working = true
    await this.session.ready
    this.session.isWorking = true
    this.session.tellState()
    for (let message = this.#waiting.shift(); message !== undefined; message = this.#waiting.shift()) {
      this.#turn = new Turn(this.session, message, this)
      await runTurn(this.#turn)
      this.#turn = undefined
    }
    this.#working = false
    this.session.isWorking = false
    this.session.tellState()
    this.#leaveIfDone()
  }

  #leaveIfDone(): void {
    if (this.#inputEnded && !this.#working) leave(this.session, this.session.lastWasError ? 1 : 0)
  }

  #control(request_id: string | undefined, request: ControlRequest): void {
    const { voice } = this.session
    try {
      const response = answerControl(request, this)
      if (response !== undefined) {
        voice.line({ type: 'control_response', response: { subtype: 'success', request_id, response } })
      }
    } catch (error) {
      const text = error instanceof Error ? error.message : String(error)
      voice.line({ type: 'control_response', response: { subtype: 'error', request_id, error: text } })
    }
  }

  #controlResponse({ type, response = {} }: InputLine): void {
    const { commandLine, bare, voice, host } = this.session
    // With the messages the real one replays the host's own answers too.
    if (commandLine.replaysMessages && !bare) voice.line({ type, response })
    host.answered(response)
  }
}

function parse(line: string): InputLine | undefined {
  try {
    const value: unknown = JSON.parse(line)
    return typeof value === 'object' && value !== null ? value : {}
  } catch {
    return undefined
  }
}
