import { deliveredUuids, overlappingWriters } from '../support/oracle.ts'
import type { TurnFact } from './daemon-life.ts'
import { answerOf, messageOf, type Question, questionIn } from './question.ts'
import type { Simulation } from './simulation.ts'
import { isOf } from './simulation-options.ts'

/** What is wrong after everything has come to its end; nothing, if Iris keeps its word. */
export function breaches(simulation: Simulation): string[] {
  const turns = simulation.ledger?.turns() ?? []
  return [
    ...simulation.broken,
    ...turns.flatMap((turn) => ofTurn(turn, simulation)),
    ...[...simulation.questions.values()].flatMap((question) => ofQuestion(question, turns, simulation)),
    ...told(turns, simulation),
    ...takenBack(simulation),
    ...refusals(simulation),
    ...order(turns, simulation),
    ...runs(simulation),
    ...notices(turns, simulation),
    ...reports(simulation),
    ...leftovers(simulation),
  ]
}

function ofTurn(turn: TurnFact, simulation: Simulation): string[] {
  const { state, outcome, reason, message, id } = turn
  const question = simulation.questions.get(questionIn(message) ?? '')
  if (question === undefined) return [`a turn nobody asked for: ${message}`]
  const which = `${question.id} (turn ${id})`
  const found: string[] = []
  if (state !== 'settled' || outcome === null) found.push(`${which} is ${state}`)
  if (question.from !== turn.from || question.to !== turn.to || question.thread !== turn.thread)
    found.push(`${which} stands in another conversation`)
  if (outcome === 'completed' && turn.answer !== answerOf(question))
    found.push(`${which} has the answer ${JSON.stringify(turn.answer)}`)
  const why = reason === null ? undefined : excuses[reason]
  if (outcome !== 'completed' && !why?.(question, turn, simulation)) {
    found.push(`${which} is ${outcome} (${reason}) without a cause: ${turn.detail}`)
  }
  if (outcome === 'completed' && question.plan.end !== 'answer') found.push(`${which} completed`)
  // A tool whose start cannot be committed is refused, and the agent continues without it.
  const expected = outcome === 'completed' && !simulation.hadFullDisk ? 1 : undefined
  question.plan.steps.forEach((step, index) => {
    if (step.do !== 'write') return
    const place = `${question.id}.${index}`
    const count = simulation.mind.effects.filter((effect) => effect === place).length
    if (count > 1 || (expected !== undefined && count !== expected))
      found.push(`${which}: ${place} done ${count} times`)
  })
  if (turn.contextReset !== null && simulation.damaged.size === 0 && !wasDeleted(turn, simulation))
    found.push(`${which} lost its context: ${turn.contextReset}`)
  return found
}

const minUnusedMs = 30 * 86_400_000

/** Its pair had said nothing for that long that its conversation was put away, and nothing was to be left of that. */
function wasDeleted(turn: TurnFact, { deletesUnused, ledger }: Simulation): boolean {
  const before = ledger?.turns().findLast((other) => isOf(other, turn) && other.sequence < turn.sequence)
  return deletesUnused && before !== undefined && turn.acceptedAt - before.acceptedAt >= minUnusedMs
}

/** A report belongs to the message that started the task, and is recorded once. */
function reports({ ledger }: Simulation): string[] {
  const said = ledger?.reports() ?? []
  const found = said.flatMap(({ message, text }) => {
    const [, task] = /task (\S+)\.\d+ ended$/.exec(text) ?? []
    return task === questionIn(message) ? [] : [`"${text}" belongs to ${message}`]
  })
  const twice = said.length - new Set(said.map(({ text }) => text)).size
  return twice === 0 ? found : [...found, `${twice} reports are recorded twice`]
}

type Excuse = (question: Question, turn: TurnFact, simulation: Simulation) => boolean

/** When a turn may end in this way. One that has no entry may not. */
const excuses: Readonly<Record<string, Excuse>> = {
  cancelled: (_, { id }, { cancelled }) => cancelled.has(id),
  asker_cancelled: (_, turn, simulation) => {
    const turns = simulation.ledger?.turns() ?? []
    for (let at = turn; at.parentTurn !== null; ) {
      const parent = turns.find(({ id }) => id === at.parentTurn)
      if (parent === undefined) return false
      if (simulation.cancelled.has(parent.id)) return true
      at = parent
    }
    return false
  },
  interrupted: (_, { id }, { interrupted }) => interrupted.has(id),
  process_died: (_, { id }, { interrupted }) => interrupted.has(id),
  /** Its process, or one it followed, was killed before it was ready. */
  spawn_failed: (_, _turn, { damaged }) => damaged.size > 0,
  session_creation_failed: (_, _turn, { damaged }) => damaged.size > 0,
  breaker_open: (_, _turn, { damaged }) => damaged.size > 0,
  queue_timeout: (_, _turn, { config }) => config.settings.maxProcesses < 100,
  api_rate_limited: ({ plan }) => plan.end === 'api_error',
  hung: ({ plan }) => plan.steps.some((step) => step.do === 'hang'),
  init_timeout: ({ plan }) => plan.steps.some((step) => step.do === 'hang'),
  no_progress: ({ plan }) => plan.steps.reduce((sum, step) => sum + (step.do === 'think' ? step.ms : 0), 0) > 500_000,
}

function ofQuestion(question: Question, turns: readonly TurnFact[], simulation: Simulation): string[] {
  const own = turns.filter(({ message }) => message === messageOf(question))
  const calls = simulation.told.filter((call) => call.question === question && call.name === 'send_message')
  const found: string[] = []
  if (own.length > 1) found.push(`${question.id} was accepted ${own.length} times`)
  // The last word: another call may have been accepted by a daemon that died before it could say so.
  const wasToldAlways = calls.length >= (simulation.mind.asks.get(question) ?? 0)
  if (calls.length > 0 && wasToldAlways && calls.every(({ refusal }) => refusal) && own.length > 0)
    found.push(`${question.id} was refused and kept`)
  return found
}

/** What callers were told is what the ledger says. After a power cut an answer without effects may be given once more, or fail. */
function told(turns: readonly TurnFact[], { told, takenBack }: Simulation): string[] {
  return told.flatMap(({ result, question, name }) => {
    if (result === undefined || question === undefined) return []
    const turn = turns.find(({ id }) => id === result['turnId'])
    if (turn === undefined) return [`${question.id} was accepted and is lost`]
    const found: string[] = []
    if (turn.message !== messageOf(question)) found.push(`${name} of ${question.id} told of ${turn.message}`)
    const { status, response } = result
    if (status === 'async' || status === 'mcp_timeout' || takenBack.has(turn.id)) return found
    if (status !== turn.outcome || (status === 'completed' && response !== turn.answer)) {
      found.push(`${question.id} was told ${String(status)}, the ledger says ${turn.outcome}`)
    }
    return found
  })
}

/** A power cut takes no end of a turn that may have had effects. */
function takenBack({ takenBack }: Simulation): string[] {
  return [...takenBack].flatMap(([id, usedTools]) => (usedTools ? [`${id} used tools, and its end is lost`] : []))
}

/** Codes with which a call may be refused here. The arguments are always in order. */
const refusable = new Set([
  'waits_for_itself',
  'too_many_hops',
  'queue_full',
  'process_busy',
  'session_ended',
  'no_free_process',
  'shutting_down',
])
const startRefusals = new Set(['spawn_failed', 'session_creation_failed', 'breaker_open'])

function refusals({ told, damaged, hadFullDisk }: Simulation): string[] {
  const accepted = new Set<unknown>()
  return told.flatMap(({ refusal, result, question, name }) => {
    if (result !== undefined) accepted.add(question)
    if (refusal === undefined) return []
    const { code, message } = refusal
    // A message that was accepted is known by its key and by its turn, whatever stands in the way of new ones.
    const isKnown = question !== undefined && accepted.has(question)
    if (isKnown && code !== 'shutting_down')
      return [`${name} of ${question.id} is refused after it was accepted: ${message}`]
    if (hadFullDisk && code === 'store_unavailable') return []
    if (refusable.has(code) || (startRefusals.has(code) && damaged.size > 0)) return []
    return [`${name} is refused without a cause: ${code}: ${message}`]
  })
}

/** The turns of a conversation begin in the order in which they were accepted. */
function order(turns: readonly TurnFact[], { machine }: Simulation): string[] {
  const first = new Map<string, number>()
  deliveredUuids(machine.oracle).forEach((uuid, index) => {
    if (!first.has(uuid)) first.set(uuid, index)
  })
  const last = new Map<string, number>()
  return turns.flatMap(({ id, from, to, thread }) => {
    const at = first.get(id)
    if (at === undefined) return []
    const conversation = `${from}→${to} ${thread}`
    const before = last.get(conversation) ?? -1
    last.set(conversation, at)
    return at < before ? [`turn ${id} of ${conversation} overtook an earlier one`] : []
  })
}

/** A delivery may be run again only if no tool of it had started. */
function runs({ machine, mind, ledger }: Simulation): string[] {
  const started = new Set<string>()
  const found: string[] = []
  const isKept = (uuid: string): boolean => ledger?.messageOf(uuid) !== undefined
  for (const uuid of mind.understood.keys()) if (!isKept(uuid)) found.push(`${uuid} ran, and no ledger keeps it`)
  for (const entry of machine.oracle) {
    if (entry.event === 'tool') started.add(entry.uuid)
    if (entry.event === 'message' && entry.ran && started.has(entry.uuid)) found.push(`${entry.uuid} was run again`)
  }
  return [...found, ...overlappingWriters(machine.oracle).map((overlap) => `overlap ${JSON.stringify(overlap)}`)]
}

/** A notice goes with one message, in what is given to Claude for it, and with no other. */
function notices(turns: readonly TurnFact[], { machine, ledger, told }: Simulation): string[] {
  const rows = ledger?.all('SELECT text, turn FROM notices') ?? []
  const left = told.filter(({ name, result }) => name === 'notify' && result !== undefined)
  const lost = left.filter(({ input }) => rows.filter(({ text }) => text === input['message']).length !== 1)
  const heard = (text: unknown) =>
    machine.oracle.flatMap((entry) =>
      entry.event === 'message' && entry.ran && entry.text.includes(`\n${String(text)}\n`)
        ? [ledger?.messageOf(entry.uuid)]
        : [],
    )
  return [
    ...lost.map(({ input }) => `${String(input['message'])} was left and is not kept once`),
    ...rows.flatMap(({ text, turn: id }) => {
      const turn = turns.find((one) => one.id === id)
      const messages = heard(text)
      if (messages.some((message) => message !== turn?.message)) return [`${String(text)} went with another message`]
      return turn?.outcome === 'completed' && messages.length === 0 ? [`${String(text)} was never heard`] : []
    }),
  ]
}

function leftovers({ machine, time, daemon, ledger, hadFullDisk }: Simulation): string[] {
  const found: string[] = []
  if (machine.processes.size > 0) found.push(`${machine.processes.size} processes are left`)
  const timers = daemon === undefined ? 0 : time.pending(daemon.life)
  if (timers > 0) found.push(`${timers} timers are left`)
  const awake = ledger?.all(`SELECT id FROM team_sessions WHERE process_state <> 'stopped'`) ?? []
  // A mirror for readers, which the next start corrects.
  if (awake.length > 0 && !hadFullDisk) found.push(`the store shows ${awake.length} processes`)
  return found
}
