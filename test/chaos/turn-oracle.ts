import type { TurnResult } from '../../src/base/protocol/turn.ts'
import { type ModelCall, ownerOfUse, type Work } from './turn-model.ts'
import type { TurnRows } from './turn-rows.ts'

/** What the asker of a message got. */
export interface Answered extends TurnResult {
  readonly token: string
}

/** What happened in a conversation, as those know who took part. */
export interface Played {
  readonly answered: readonly Answered[]
  readonly calls: readonly ModelCall[]
  readonly works: ReadonlyMap<string, readonly Work[]>
  /** The commands that ran to their end; `r` is before those of reports. */
  readonly effects: readonly string[]
  /** When a process was ended or a message was cancelled, of `performance.now()`. */
  readonly disturbedAt: readonly number[]
}

const marks = /\b(answer|report|late|step|look)\[(t\d+)(\.\d+)?\]/g

/** What is wrong: answers, tools, reports and tokens that Iris has given to another message than their own. */
export function faultsIn(played: Played, rows: TurnRows): string[] {
  /** By message: the turn that answers it. */
  const turnOf = new Map(
    rows.turns.flatMap(({ id, token, joined }) => [token, ...joined].map((each) => [each, id] as const)),
  )
  const nameOf = (turn: string): string => rows.turns.find(({ id }) => id === turn)?.token ?? 'no turn'
  return [
    ...answerFaults(played, rows, turnOf),
    ...toolFaults(played, rows, turnOf, nameOf),
    ...reportFaults(played, rows, turnOf, nameOf),
    ...usageFaults(played, rows, turnOf),
  ]
}

type TurnOf = ReadonlyMap<string, string>

/** Each text has only marks of its own message, and each answer has them all. */
function answerFaults({ answered }: Played, rows: TurnRows, turnOf: TurnOf): string[] {
  const strange = rows.turns.flatMap(({ id, token, text }) =>
    [...text.matchAll(marks)].flatMap(([mark, kind, owner]) =>
      // A report that comes while the agent answers is said in the answer.
      kind === 'report' || kind === 'look' || turnOf.get(owner!) === id ? [] : [`${token} got ${mark}`],
    ),
  )
  const lacking = rows.turns.flatMap(({ token, joined, outcome, text }) =>
    [token, ...joined].flatMap((each) =>
      outcome !== 'completed' || text.includes(`answer[${each}]`) ? [] : [`${token} completed without answer[${each}]`],
    ),
  )
  const other = answered.flatMap(({ token, turnId }) =>
    turnOf.get(token) === turnId ? [] : [`${token} was answered by the turn ${turnId}`],
  )
  const unsettled = rows.turns.flatMap(({ token, state }) => (state === 'settled' ? [] : [`${token} is ${state}`]))
  return [...strange, ...lacking, ...other, ...unsettled]
}

/** Each tool that ran is known, and to the message that it belongs to. */
function toolFaults(
  { calls, effects }: Played,
  { tools, reportTools }: TurnRows,
  turnOf: TurnOf,
  nameOf: (turn: string) => string,
): string[] {
  const faults = (of: TurnRows['tools'], inReport: boolean): string[] =>
    of.flatMap(({ turn, toolUseId }) => {
      const owner = ownerOfUse(toolUseId)
      if (owner !== undefined && turnOf.get(owner.token) === turn) return []
      // A command that ends while the agent works, on a message or on the end of another command, becomes part of that work.
      const call = owner?.isReport ? calls.findLast(({ use }) => use === owner.step) : undefined
      const work = inReport ? call?.reports.map((step) => step.split('.')[0]!) : call?.messages
      if (work?.some((token) => turnOf.get(token) === turn)) return []
      return [`the tool ${toolUseId} is booked to ${inReport ? 'the reports of ' : ''}${nameOf(turn)}`]
    })
  const known = new Set([...tools, ...reportTools].map(({ toolUseId }) => ownerOfUse(toolUseId)?.step))
  const unknown = effects.flatMap((step) => (known.has(step) ? [] : [`nobody knows of the command ${step}`]))
  return [...faults(tools, false), ...faults(reportTools, true), ...unknown]
}

/** Each report belongs to the message whose command ended, is not lost where nothing disturbed it, and is given once. */
function reportFaults(
  { answered, calls, disturbedAt }: Played,
  { reports, turns }: TurnRows,
  turnOf: TurnOf,
  nameOf: (turn: string) => string,
): string[] {
  const outcomeOf = (id: string | undefined) => turns.find((turn) => turn.id === id)?.outcome
  const strange = reports.flatMap(({ turn, text }) => {
    const owners = [...text.matchAll(/\b(\w+)[[-](t\d+)(?:\.\d+)?/g)]
    // The agent may say at once what it has of several commands; the last of them woke it.
    const isOwn = owners.some(([, , owner]) => turnOf.get(owner!) === turn)
    // The message that has its answer gets no second one.
    const second = owners.filter(
      ([, kind, owner]) => kind === 'answer' && outcomeOf(turnOf.get(owner!)) === 'completed',
    )
    const faults = second.map(([mark]) => `${mark} is also a report of ${nameOf(turn)}`)
    return isOwn || owners.length === 0 ? faults : [...faults, `a report of ${nameOf(turn)}: ${text}`]
  })
  const texts = [...reports.map(({ text }) => text), ...turns.map(({ text }) => text)]
  const isDisturbed = (at: number): boolean => disturbedAt.some((then) => then > at - 500 && then < at + 3000)
  const isSaid = (step: string): boolean => texts.some((text) => text.includes(`report[${step}]`))
  const lost = calls.flatMap(({ final, at, reports: said, messages }) =>
    final === undefined || isDisturbed(at) || messages.length > 0 ? [] : said.filter((step) => !isSaid(step)),
  )
  // While it is being reported, a process or a daemon may die, and a message may be cancelled.
  const wasCut = (step: string): boolean =>
    calls.some(({ reports: said, at }) => said.includes(step) && isDisturbed(at))
  const isEnded = (step: string): boolean =>
    reports.some(({ kind, text }) => kind === 'ended' && text.endsWith(`job-${step}`))
  const silent = turns
    .flatMap(({ leftRunning }) => leftRunning)
    .filter((step) => !isSaid(step) && !isEnded(step) && !wasCut(step))
  const given = answered.flatMap(({ reports: more = [] }) =>
    more.map(({ turnId, at, text }) => `${turnId} ${at} ${text}`),
  )
  const twice = given.filter((each, at) => given.indexOf(each) !== at).map((each) => `given twice: ${each}`)
  const isWhole = given.length === reports.length || disturbedAt.length > 0
  return [
    ...strange,
    ...lost.map((step) => `report[${step}] is lost`),
    ...twice,
    ...silent.map((step) => `nobody hears of the end of the command ${step}`),
    ...(isWhole ? [] : [`${reports.length} reports, ${given.length} given`]),
  ]
}

/** Where nothing was cut off, the tokens of all calls are booked, each to the message for which the model was called. */
function usageFaults({ calls, disturbedAt, works }: Played, { turns }: TurnRows, turnOf: TurnOf): string[] {
  const isFailed = turns.some(({ token, joined }) =>
    [token, ...joined].some((each) => works.get(each)?.includes('fail')),
  )
  if (disturbedAt.length > 0 || isFailed) return []
  const expected = new Map<string | undefined, number>()
  let begun: ModelCall[] = []
  let isClear = true
  for (const call of calls) {
    begun.push(call)
    if (call.final === undefined) continue
    const message = begun.findLast(({ messages }) => messages.length > 0)?.messages[0]
    const reported = new Set(begun.flatMap(({ reports }) => reports).map((step) => turnOf.get(step.split('.')[0]!)))
    if (message === undefined && reported.size !== 1) isClear = false
    const turn = message === undefined ? [...reported][0] : turnOf.get(message)
    expected.set(turn, (expected.get(turn) ?? 0) + begun.reduce((sum, { inputTokens }) => sum + inputTokens, 0))
    begun = []
  }
  const sum = (of: Iterable<number>): number => [...of].reduce((all, each) => all + each, 0)
  const booked = sum(turns.map(({ usage }) => usage?.cacheReadTokens ?? 0))
  const made = sum(expected.values())
  const whole = booked === made ? [] : [`${made} tokens were used and ${booked} booked`]
  if (!isClear) return whole
  const each = turns.flatMap(({ id, token, usage }) => {
    const [own, should] = [usage?.cacheReadTokens ?? 0, expected.get(id) ?? 0]
    return own === should ? [] : [`${token} used ${should} tokens and has ${own}`]
  })
  return [...whole, ...each]
}
