import type { Message } from './message.ts'
import { stringOr } from './recall.ts'
import { type Ending, resultLine } from './result.ts'
import type { Session } from './session.ts'
import { Speech } from './speech.ts'

export interface OpenTool {
  readonly id: string
  readonly name: string
  running: boolean
}

/** What waits behind the turn. */
export interface Queue {
  /** Everything: a running turn takes in what came while a tool ran. */
  takeAll(): readonly Message[]
  /** A turn of the CLI's own: it comes before whatever waits. */
  addUnsolicited(prompt: string, run?: string): void
}

/** An interrupt ended the turn. */
export class Interrupted extends Error {}

/** One message being answered: its lines, its place in the transcript, how it ends. */
export class Turn {
  readonly session: Session
  readonly message: Message
  readonly speech: Speech
  /** Messages that came while a tool ran. */
  readonly folded: Message[] = []
  readonly denials: Record<string, unknown>[] = []
  readonly startedAt: number
  readonly #interrupt = new AbortController()
  #echoed = false
  answer = ''
  lastToolResult = ''
  lastToolFailed = false
  openTool: OpenTool | undefined
  ending: Ending | undefined
  /** Fields of the result line that the script wants otherwise. */
  overrides: Record<string, unknown> = {}
  resultCopies = 1

  readonly queue: Queue

  constructor(session: Session, message: Message, queue: Queue) {
    this.session = session
    this.queue = queue
    this.message = message
    this.startedAt = session.world.clock.elapsed()
    this.speech = new Speech({
      session,
      onOutput: () => this.echo(),
      attribution: () => this.attribution(),
    })
  }

  /** Throws when an interrupt came while something was awaited. */
  check(): void {
    if (this.signal.aborted) throw new Interrupted()
  }

  get signal(): AbortSignal {
    return this.#interrupt.signal
  }

  interrupt(): void {
    this.#interrupt.abort()
  }

  /** Settles like the work, or rejects with Interrupted, whichever is first. */
  until<T>(work: Promise<T>): Promise<T> {
    const { signal } = this
    if (signal.aborted) return Promise.reject(new Interrupted())
    return new Promise((resolve, reject) => {
      const stop = () => reject(new Interrupted())
      signal.addEventListener('abort', stop, { once: true })
      work.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop))
    })
  }

  begin(): void {
    const { session, message } = this
    session.begun += 1
    session.meter.beginTurn()
    session.meter.add(message.text)
    lifecycle(session, message, 'started')
    session.world.record({ event: 'message', uuid: message.uuid, text: message.text, ran: true })
    session.transcript.note({ type: 'queue-operation', operation: 'dequeue' })
    session.settleOpenTools()
    session.transcript.entry(message.uuid, {
      type: 'user',
      message: { role: 'user', content: message.content },
      ...(message.asked ? { promptSource: 'sdk' } : { origin: taskNotification }),
    })
    if (session.begun === 1 && session.turns.length === 0) {
      session.transcript.entry(session.world.newId(), { type: 'attachment', attachment: { type: 'environment' } })
    }
    this.#init()
    this.requesting()
  }

  requesting(): void {
    const { user_message_uuids } = this.attribution()
    const named = user_message_uuids === undefined ? {} : { user_message_uuids }
    this.session.voice.extra({ type: 'system', subtype: 'status', status: 'requesting', ...named })
  }

  /** The CLI repeats a message when the model's first output is there, not before. */
  echo(): void {
    if (this.#echoed) return
    this.#echoed = true
    if (this.message.asked) echo(this.session, this.message)
  }

  /** Takes in a message that came meanwhile. */
  fold(message: Message): void {
    const { session } = this
    this.folded.push(message)
    session.world.record({ event: 'message', uuid: message.uuid, text: message.text, ran: true })
    session.meter.add(message.text)
    echo(session, message)
    lifecycle(session, message, 'started')
    const attachment = { type: 'queued_command', prompt: message.content, source_uuid: message.uuid }
    session.transcript.entry(session.world.newId(), { type: 'attachment', attachment })
  }

  /** A user line that the CLI wrote itself, on stdout and in the transcript. */
  note(content: unknown, extra: { onLine?: Record<string, unknown>; inEntry?: Record<string, unknown> } = {}): void {
    const message = { role: 'user', content }
    const { voice, transcript } = this.session
    const line = { type: 'user', message, parent_tool_use_id: null, timestamp: voice.timestamp(), ...extra.onLine }
    transcript.entry(voice.event(line), { type: 'user', message, ...extra.inEntry })
  }

  end(ending: Ending): void {
    const { session, message } = this
    this.echo()
    const line = { ...resultLine(this, ending), ...this.overrides }
    for (const folded of this.folded) lifecycle(session, folded, 'completed')
    for (let copy = 0; copy < this.resultCopies; copy += 1) session.voice.event(line)
    session.results += this.resultCopies
    lifecycle(session, message, line['is_error'] === true ? 'cancelled' : 'completed')
    session.lastWasError = line['is_error'] === true
    const text = stringOr(line['result'])
    session.world.record({ event: 'answer', uuid: message.uuid, text, isError: session.lastWasError })
  }

  attribution(): Record<string, unknown> {
    const [first, ...more] = this.#uuids()
    return first === undefined ? {} : { user_message_uuid: first, user_message_uuids: [first, ...more] }
  }

  #uuids(): string[] {
    return [this.message, ...this.folded].filter(({ asked, named }) => asked && named).map(({ uuid }) => uuid)
  }

  #init(): void {
    const { session } = this
    session.voice.event({
      type: 'system',
      subtype: 'init',
      cwd: session.world.cwd,
      tools: session.toolNames,
      mcp_servers: [...session.servers.keys()].map((name) => ({ name, status: 'connected', source: 'sdk' })),
      model: session.model,
      permissionMode: session.permissionMode,
      slash_commands: ['compact'],
      apiKeySource: 'none',
      claude_code_version: '9.9.9',
      output_style: 'default',
      agents: [],
      skills: [],
      plugins: [],
      ...(this.message.asked ? { user_message_uuids: this.#uuids() } : {}),
    })
  }
}

const taskNotification = { kind: 'task-notification' }

export function lifecycle(session: Session, message: Message, state: string): void {
  if (message.named) session.voice.extra({ type: 'command_lifecycle', command_uuid: message.uuid, state })
}

/** `known`: the message was there before and is not run; such an echo has no time. */
export function echo(session: Session, { uuid, content, asked }: Message, known = false): void {
  if (!session.commandLine.replaysMessages) return
  const message = { role: 'user', content }
  const timestamp = known ? {} : { timestamp: session.voice.timestamp() }
  const origin = asked ? {} : { origin: taskNotification }
  session.voice.event({
    type: 'user',
    message,
    parent_tool_use_id: null,
    uuid,
    ...timestamp,
    isReplay: true,
    ...origin,
  })
}
